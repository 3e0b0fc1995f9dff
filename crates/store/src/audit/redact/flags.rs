//! Secrets behind options of commands: `--password X`, `mysql -pX`, `curl -u user:X`.

use super::assigned;
use super::patterns::{Span, looked_at, run};
use super::tokens::is_dense;

/// How an option takes its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueStyle {
    /// `-pX` alone: `-p X` means something else.
    Glued,
    /// `-p X` alone.
    Next,
    /// Both.
    Either,
    /// `-u user:X`; only what follows the colon.
    User,
    /// `-b name=X`.
    Cookie,
}

/// Programs, their short options, and how those take a secret.
const SHORT: [(&[u8], &[u8], ValueStyle); 43] = [
    (b"mysql", b"-p", ValueStyle::Glued),
    (b"mariadb", b"-p", ValueStyle::Glued),
    (b"mycli", b"-p", ValueStyle::Either),
    (b"sshpass", b"-p", ValueStyle::Either),
    (b"mongo", b"-p", ValueStyle::Either),
    (b"cqlsh", b"-p", ValueStyle::Next),
    (b"twine", b"-p", ValueStyle::Next),
    (b"docker login", b"-p", ValueStyle::Next),
    (b"podman login", b"-p", ValueStyle::Next),
    (b"nerdctl login", b"-p", ValueStyle::Next),
    (b"buildah login", b"-p", ValueStyle::Next),
    (b"skopeo login", b"-p", ValueStyle::Next),
    (b"registry login", b"-p", ValueStyle::Next),
    (b"oc login", b"-p", ValueStyle::Next),
    (b"az login", b"-p", ValueStyle::Next),
    (b"az acr login", b"-p", ValueStyle::Next),
    (b"cf login", b"-p", ValueStyle::Next),
    (b"argocd", b"-p", ValueStyle::Next),
    (b"7z", b"-p", ValueStyle::Glued),
    (b"rar", b"-p", ValueStyle::Glued),
    (b"zip", b"-P", ValueStyle::Next),
    (b"sqlcmd", b"-P", ValueStyle::Either),
    (b"bcp", b"-P", ValueStyle::Either),
    (b"ftp", b"-P", ValueStyle::Next),
    (b"redis-cli", b"-a", ValueStyle::Either),
    (b"http ", b"-a", ValueStyle::User),
    (b"ldap", b"-w", ValueStyle::Next),
    (b"kinit", b"-w", ValueStyle::Next),
    (b"curl", b"-u", ValueStyle::User),
    (b"curl", b"-U", ValueStyle::User),
    (b"curl", b"-b", ValueStyle::Cookie),
    (b"wget", b"-u", ValueStyle::User),
    (b"rabbitmqadmin", b"-p", ValueStyle::Next),
    (b"snmp", b"-A", ValueStyle::Next),
    (b"ipmitool", b"-P", ValueStyle::Next),
    (b"openssl", b"-k", ValueStyle::Next),
    (b"rdesktop", b"-p", ValueStyle::Either),
    (b"useradd", b"-p", ValueStyle::Next),
    (b"usermod", b"-p", ValueStyle::Next),
    (b"smbclient", b"-U", ValueStyle::User),
    (b"lftp", b"-u", ValueStyle::User),
    (b"add-generic-password", b"-w", ValueStyle::Either),
    (b"add-internet-password", b"-w", ValueStyle::Either),
];

/// Long options with one dash, as Java and OpenSSL have them.
const SINGLE: [&[u8]; 8] = [
    b"-storepass",
    b"-keypass",
    b"-srcstorepass",
    b"-deststorepass",
    b"-passin",
    b"-passout",
    b"-password",
    b"-pass",
];

/// Long options whose secret follows a colon.
const USERS: [&[u8]; 4] = [b"user", b"proxy-user", b"auth", b"credentials"];

/// Long options that may take a secret, which then is random.
const RANDOM: [&[u8]; 4] = [b"auth", b"key", b"body", b"bearer"];

/// How far a program is before its option.
const COMMAND: usize = 300;

/// `--password X`; `--password=X` is an assignment.
pub(super) fn long(text: &[u8], at: usize) -> Option<Span> {
    let after = &text[at + 2..];
    let length =
        run(looked_at(text, at + 2, 40), |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let (name, rest) = after.split_at(length);
    if length < 2 || !matches!(rest.first(), Some(b' ' | b'\t' | b'=' | b'"' | b'\'' | b'\\')) {
        return None;
    }
    let value = value_after(text, at + 2 + length)?;
    if RANDOM.iter().any(|known| name.eq_ignore_ascii_case(known)) && is_dense(&text[value.0..value.1]) {
        return Some((value.0, value.1, "token"));
    }
    if USERS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return behind_colon(text, value);
    }
    if name.eq_ignore_ascii_case(b"cookie") {
        return cookie(text, value);
    }
    if rest.first() == Some(&b'=') {
        return None;
    }
    let kind = assigned::kind_of_option(name)?;
    is_value(text, value, kind == "password").then_some((value.0, value.1, kind))
}

/// `-pX` and `-p X` of programs that take a password so.
pub(super) fn short(text: &[u8], at: usize) -> Option<Span> {
    if !begins_word(text, at) {
        return None;
    }
    let option = looked_at(text, at, 2);
    let rest = looked_at(text, at, 20);
    if let Some(name) = SINGLE.iter().find(|name| rest.starts_with(name)) {
        let value = value_after(text, at + name.len())?;
        let from = value.0 + if text[value.0..value.1].starts_with(b"pass:") { 5 } else { 0 };
        return is_value(text, (from, value.1), true).then_some((from, value.1, "password"));
    }
    if let Some(user) = user_of_curl(text, at) {
        return Some(user);
    }
    if !SHORT.iter().any(|(_, known, _)| *known == option) {
        return None;
    }
    let command = command_before(text, at);
    let (_, _, takes) =
        SHORT.iter().find(|(program, known, _)| *known == option && runs(command, program))?;
    let glued = || {
        let value = value_at(text, at + 2)?;
        (value.1 > value.0 && !text[at + 2].is_ascii_whitespace()).then_some(value)
    };
    let next = || value_after(text, at + 2);
    match takes {
        ValueStyle::Glued => glued().filter(|value| is_value(text, *value, true)),
        ValueStyle::Next => next().filter(|value| is_value(text, *value, true)),
        ValueStyle::Either => glued().or_else(next).filter(|value| is_value(text, *value, true)),
        ValueStyle::User => return behind_colon(text, glued().or_else(next)?),
        ValueStyle::Cookie => return cookie(text, next()?),
    }
    .map(|(from, to)| (from, to, "password"))
}

/// `curl -sSu user:X`: the last of several short options.
fn user_of_curl(text: &[u8], at: usize) -> Option<Span> {
    let letters = run(looked_at(text, at + 1, 12), |byte| byte.is_ascii_alphabetic());
    let is_last = letters > 1 && text[at + letters] == b'u' && text.get(at + letters + 1) == Some(&b' ');
    if !(is_last && runs(command_before(text, at), b"curl")) {
        return None;
    }
    behind_colon(text, value_after(text, at + letters + 1)?)
}

/// The text before an option in the same command.
fn command_before(text: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(COMMAND);
    let before = &text[from..at];
    let begin = before.iter().rposition(|byte| matches!(byte, b'\n' | b';' | b'|')).map_or(0, |end| end + 1);
    &before[begin..]
}

/// Whether the name of a program is in a command.
fn runs(command: &[u8], program: &[u8]) -> bool {
    let mut begins = command.iter().enumerate().filter(|(_, byte)| **byte == program[0]);
    begins.any(|(at, _)| command[at..].starts_with(program))
}

fn begins_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return true };
    let escaped = at >= 2 && text[at - 2] == b'\\' && matches!(before, b'n' | b't');
    before.is_ascii_whitespace() || matches!(before, b'"' | b'\'' | b',' | b'[') || escaped
}

/// The word behind an option: after spaces, or as the next string of a list.
fn value_after(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut skipped = run(looked_at(text, from, 16), |byte| b" \t=\"',\\\n".contains(&byte));
    // A line that goes on, as it is in JSON.
    if text[from..from + skipped].ends_with(br"\\\") && text.get(from + skipped) == Some(&b'n') {
        skipped += 1 + run(looked_at(text, from + skipped + 1, 16), |byte| byte == b' ');
    }
    if skipped == 0 {
        return None;
    }
    // Back to the quote that opens the value.
    let opened = text[from + skipped - 1];
    let start = if matches!(opened, b'"' | b'\'') { from + skipped - 1 } else { from + skipped };
    value_at(text, start)
}

/// The value that begins here, in quotes or not.
fn value_at(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let first = *text.get(from)?;
    if matches!(first, b'"' | b'\'') {
        let begin = from + 1;
        let length =
            run(looked_at(text, begin, 4096), |byte| byte != first && byte != b'\n' && byte != b'\\');
        return (length > 0).then_some((begin, begin + length));
    }
    let length = run(looked_at(text, from, 4096), |byte| {
        !byte.is_ascii_whitespace() && !b"\"'`;|&<>()\\".contains(&byte)
    });
    (length > 0).then_some((from, from + length))
}

fn behind_colon(text: &[u8], (from, to): (usize, usize)) -> Option<Span> {
    let colon = text[from..to].iter().position(|byte| b":%,".contains(byte))?;
    let begin = from + colon + 1;
    (begin < to && is_value(text, (begin, to), true)).then_some((begin, to, "password"))
}

fn cookie(text: &[u8], (from, to): (usize, usize)) -> Option<Span> {
    super::headers::is_cookie(&text[from..to]).then_some((from, to, "cookie"))
}

/// Words that follow an option in a sentence.
const PROSE: [&[u8]; 20] = [
    b"option",
    b"options",
    b"flag",
    b"flags",
    b"argument",
    b"parameter",
    b"instead",
    b"and",
    b"or",
    b"to",
    b"is",
    b"for",
    b"from",
    b"with",
    b"in",
    b"on",
    b"when",
    b"if",
    b"as",
    b"file",
];

/// Whether this is a secret and no variable, option or word of a sentence.
fn is_value(text: &[u8], (from, to): (usize, usize), is_password: bool) -> bool {
    let value = &text[from..to];
    let Some(first) = value.first() else { return false };
    let place = value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"~/");
    if b"$-<{[%@(`".contains(first) || place || value.windows(3).any(|part| part == b"://") {
        return false;
    }
    let plain = value.strip_suffix(b".").or(value.strip_suffix(b",")).unwrap_or(value);
    let is_word = plain.iter().all(u8::is_ascii_lowercase);
    if is_word {
        let prose = PROSE.iter().any(|word| plain.eq_ignore_ascii_case(word));
        // A sentence goes on with another word; a command with an option, a sign or its end.
        let next = text.get(to).filter(|byte| **byte == b' ').and_then(|_| text.get(to + 1));
        let goes_on = next.is_some_and(u8::is_ascii_lowercase) && is_password && plain.len() < 5;
        return !prose && !goes_on && is_password && plain.len() >= 3;
    }
    if is_password { value.len() >= 3 } else { value.len() >= 8 }
}
