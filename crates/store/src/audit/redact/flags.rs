//! Secrets in options of commands: `--password X`, `mysql -pX`, `curl -u user:X`.

use super::assigned;
use super::patterns::{Span, command_before, looked_at, run};
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

/// Short options that take a secret: the option, how it takes the secret, and programs. The first match counts, and a
/// name is found anywhere in a command, so short names come late.
const SHORT: [(&[u8], ValueStyle, &str); 20] = [
    (b"-p", ValueStyle::Glued, "mysql|mariadb"),
    (b"-p", ValueStyle::Either, "mycli|sshpass|mongo"),
    (
        b"-p",
        ValueStyle::Next,
        "cqlsh|twine|docker login|podman login|nerdctl login|buildah login|skopeo login",
    ),
    (b"-p", ValueStyle::Next, "registry login|oc login|az login|az acr login|cf login|argocd"),
    (b"-p", ValueStyle::Glued, "7z|rar"),
    (b"-p", ValueStyle::Next, "rabbitmqadmin"),
    (b"-p", ValueStyle::Either, "rdesktop"),
    (b"-p", ValueStyle::Next, "useradd|usermod"),
    (b"-P", ValueStyle::Next, "zip"),
    (b"-P", ValueStyle::Either, "sqlcmd|bcp"),
    (b"-P", ValueStyle::Next, "ftp|ipmitool"),
    (b"-a", ValueStyle::Either, "redis-cli"),
    (b"-a", ValueStyle::User, "http "),
    (b"-w", ValueStyle::Next, "ldap|kinit"),
    (b"-u", ValueStyle::User, "curl|wget|lftp"),
    (b"-U", ValueStyle::User, "curl|smbclient"),
    (b"-b", ValueStyle::Cookie, "curl"),
    (b"-A", ValueStyle::Next, "snmp"),
    (b"-k", ValueStyle::Next, "openssl"),
    (b"-w", ValueStyle::Either, "add-generic-password|add-internet-password"),
];

/// Long options with one dash, of Java and OpenSSL.
const SINGLE: &str = "-storepass -keypass -srcstorepass -deststorepass -passin -passout -password -pass";

/// Long options whose secret follows a colon.
const USERS: [&[u8]; 4] = [b"user", b"proxy-user", b"auth", b"credentials"];

/// Long options that may take a secret; only a random value counts.
const RANDOM: [&[u8]; 4] = [b"auth", b"key", b"body", b"bearer"];

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

/// `-pX` and `-p X` of programs that take a password.
pub(super) fn short(text: &[u8], at: usize) -> Option<Span> {
    if !begins_word(text, at) {
        return None;
    }
    let option = looked_at(text, at, 2);
    let rest = looked_at(text, at, 20);
    if let Some(name) = SINGLE.split(' ').find(|name| rest.starts_with(name.as_bytes())) {
        let value = value_after(text, at + name.len())?;
        let from = value.0 + if text[value.0..value.1].starts_with(b"pass:") { 5 } else { 0 };
        return is_value(text, (from, value.1), true).then_some((from, value.1, "password"));
    }
    if let Some(user) = user_of_curl(text, at) {
        return Some(user);
    }
    if !SHORT.iter().any(|(known, ..)| *known == option) {
        return None;
    }
    let command = command_before(text, at);
    let names_program = |programs: &str| programs.split('|').any(|program| runs(command, program.as_bytes()));
    let is_taken =
        |(known, _, programs): &&(&[u8], ValueStyle, &str)| *known == option && names_program(programs);
    let (_, takes, _) = SHORT.iter().find(is_taken)?;
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
    // A continued line in JSON.
    if text[from..from + skipped].ends_with(br"\\\") && text.get(from + skipped) == Some(&b'n') {
        skipped += 1 + run(looked_at(text, from + skipped + 1, 16), |byte| byte == b' ');
    }
    if skipped == 0 {
        return None;
    }
    // The quote that opens the value belongs to it.
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
const PROSE: &str =
    "option options flag flags argument parameter instead and or to is for from with in on when if as file";

/// Whether this is a secret and not a variable, an option or a word of a sentence.
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
        let prose = PROSE.split(' ').any(|word| plain == word.as_bytes());
        // A sentence continues with another word; a command with an option, a sign or its end.
        let next = text.get(to).filter(|byte| **byte == b' ').and_then(|_| text.get(to + 1));
        let goes_on = next.is_some_and(u8::is_ascii_lowercase) && is_password && plain.len() < 5;
        return !prose && !goes_on && is_password && plain.len() >= 3;
    }
    if is_password { value.len() >= 3 } else { value.len() >= 8 }
}
