//! Finds secrets by their form or by the text before them. No regular expressions: every tool call is searched, and
//! compiling one takes longer than writing the record.

use super::{assigned, flags, headers, stores, tokens, words};

/// The begin and end of a secret, and its kind.
pub(super) type Span = (usize, usize, &'static str);

const PRIVATE_KEY: &[u8] = b"-----BEGIN ";

/// The secret at this place, around it or behind it.
pub(super) fn at(text: &[u8], at: usize) -> Option<Span> {
    let (begin, end, kind) = span(text, at)?;
    // The form of a token is more exact than the text before it.
    let known = tokens::at(text, begin).filter(|(from, to, _)| *from == begin && *to >= end);
    Some(known.unwrap_or((begin, end, kind)))
}

fn span(text: &[u8], at: usize) -> Option<Span> {
    let rest = text.get(at..)?;
    if let Some(token) = tokens::at(text, at) {
        return Some(token);
    }
    match *rest.first_chunk()? {
        [b'e', b'y'] => shifted(at, json_web_token(rest)),
        [b'-', b'-'] => shifted(at, private_key(rest))
            .or_else(|| end_of_key(text, at))
            .or_else(|| flags::long(text, at))
            .or_else(|| stores::piped(text, at)),
        [b'-', b'u'] if rest.starts_with(b"-us") => mailchimp(text, at).or_else(|| flags::short(text, at)),
        [b'-', b'S'] => stores::piped(text, at),
        [b'-', _] => flags::short(text, at),
        [b'B' | b'b', b'E' | b'e' | b'A' | b'a'] if is_word_start(text, at) => headers::scheme(text, at),
        [b':', b'/'] => shifted(at, password(rest)),
        [b':', _] => {
            headers::field(text, at).or_else(|| around_colon(text, at)).or_else(|| assigned::at(text, at))
        }
        [b'=', _] => assigned::at(text, at).or_else(|| stores::assigned(text, at)),
        [b'<', b'<'] => stores::here_string(text, at),
        [b'|', _] => facebook(text, at),
        [b'!', b'A'] => salesforce(text, at),
        [b'N', b'R'] => before_mark(text, at, b"NRAL", 36, 0, "newrelic"),
        [b'A', b'Z'] => before_mark(text, at, b"AZDO", 76, 4, "azure"),
        [b'K' | b'k', b'E' | b'e'] => words::token_or_key(text, at),
        [b'.', _] => around_dot(text, at),
        [b'Q', b'~'] => azure(text, at),
        [b'P' | b'p' | b'A' | b'a' | b'I' | b'i', _] => {
            words::at(text, at).or_else(|| stores::piped(text, at))
        }
        _ => None,
    }
}

fn shifted(at: usize, found: Option<Span>) -> Option<Span> {
    found.map(|(from, to, kind)| (at + from, at + to, kind))
}

/// Whether a word can begin there.
pub(super) fn is_word_start(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return true };
    let escaped = at >= 2 && text[at - 2] == b'\\' && matches!(before, b'n' | b't' | b'r');
    !before.is_ascii_alphanumeric() || escaped
}

/// Headers of web tokens are short; a longer run of their letters is something else.
const HEADER: usize = 1024;

/// Two parts that are JSON objects in base64, and a signature.
fn json_web_token(rest: &[u8]) -> Option<Span> {
    let header = rest.strip_prefix(b"eyJ")?;
    let header = 3 + run(&header[..header.len().min(HEADER)], is_dash);
    let claims = rest[header..].strip_prefix(b".eyJ").map(|after| 4 + run(after, is_dash))?;
    let signed = header + claims;
    let signature = rest[signed..].strip_prefix(b".").map_or(0, |after| 1 + run(after, is_dash));
    Some((0, signed + signature, "jwt"))
}

/// Up to its last line, or to the end if that was cut off.
fn private_key(rest: &[u8]) -> Option<Span> {
    let label = rest.strip_prefix(PRIVATE_KEY)?;
    let length = run(label, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let (name, after) = label.split_at(length);
    let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    if !(is_private && after.starts_with(b"-----")) {
        return None;
    }
    let last = [b"-----END ", name, b"-----"].concat();
    let end = rest.windows(last.len()).position(|window| window == last);
    Some((0, end.map_or(rest.len(), |end| end + last.len()), "private-key"))
}

/// Only the password of `scheme://user:password@host`.
fn password(rest: &[u8]) -> Option<Span> {
    const SCHEME_ENDS: &[u8] = b"://";
    let after = rest.strip_prefix(SCHEME_ENDS)?;
    let authority =
        &after[..run(after, |byte| !(byte.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(&byte)))];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority[..host].iter().position(|byte| *byte == b':');
    let from = match user {
        Some(user) => user + 1,
        // `https://TOKEN@host`: a user name is shorter and less random.
        None if host >= 20 && tokens::is_random(&authority[..host]) => 0,
        None if host >= 32 && authority[..host].iter().all(u8::is_ascii_hexdigit) => 0,
        None => return None,
    };
    let (from, to) = (SCHEME_ENDS.len() + from, SCHEME_ENDS.len() + host);
    // It may be hidden already.
    let (value, hidden) = (&rest[from..to], rest[from..].starts_with(b"[redacted:"));
    let is_placeholder = value.starts_with(b"$") || value.starts_with(b"{");
    (from < to && !hidden && !is_placeholder).then_some((from, to, "password"))
}

/// The end of a private key without its beginning: lines of base64 before its last line.
fn end_of_key(text: &[u8], at: usize) -> Option<Span> {
    let label = text[at..].strip_prefix(b"-----END ")?;
    let length = run(looked_at(label, 0, 64), |byte| byte.is_ascii_uppercase() || byte == b' ');
    if !label[..length].ends_with(b"PRIVATE KEY") {
        return None;
    }
    let mut begin = at;
    loop {
        let before = &text[..begin];
        let before = before.strip_suffix(b"\n").or_else(|| before.strip_suffix(br"\n")).unwrap_or(before);
        let before = before.strip_suffix(b"\r").or_else(|| before.strip_suffix(br"\r")).unwrap_or(before);
        let from = before.len()
            - run_back(before, before.len(), 80, |byte| {
                byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
            });
        // The letter of an escaped line end is not a part of the line.
        let from = from + usize::from(text[..from].ends_with(b"\\") && text[from..].starts_with(b"n"));
        if before.len() - from < 4 || before.len() == begin {
            break;
        }
        begin = from;
    }
    (begin < at).then_some((begin, at, "private-key"))
}

/// 32 digits before `-us12`.
fn mailchimp(text: &[u8], at: usize) -> Option<Span> {
    let digits = run(looked_at(text, at + 3, 3), |byte| byte.is_ascii_digit());
    let before = run_back(text, at, 33, |byte| byte.is_ascii_hexdigit());
    (before == 32 && (1..=2).contains(&digits)).then_some((at - 32, at + 3 + digits, "mailchimp"))
}

/// `123456789012345|…`: an application and its secret.
fn facebook(text: &[u8], at: usize) -> Option<Span> {
    let digits = run_back(text, at, 17, |byte| byte.is_ascii_digit());
    let body = run(looked_at(text, at + 1, 48), is_dash);
    let fits = (15..=16).contains(&digits) && (27..=40).contains(&body);
    fits.then_some((at - digits, at + 1 + body, "facebook"))
}

/// `00D…!AQ…`: an organisation and its session.
fn salesforce(text: &[u8], at: usize) -> Option<Span> {
    let before = run_back(text, at, 18, |byte| byte.is_ascii_alphanumeric());
    let after = run(looked_at(text, at + 1, 200), |byte| is_dash(byte) || byte == b'.');
    let lengths = [15, 18].into_iter().filter(|length| before >= *length && after >= 60);
    let length = lengths.into_iter().find(|length| text[at - length..].starts_with(b"00D"))?;
    Some((at - length, at + 1 + after, "salesforce"))
}

/// A key that has this mark near its end.
fn before_mark(
    text: &[u8],
    at: usize,
    mark: &[u8],
    before: usize,
    after: usize,
    kind: &'static str,
) -> Option<Span> {
    let end = at + mark.len() + after;
    let fits = text[at..].starts_with(mark)
        && end <= text.len()
        && text[at..end].iter().all(u8::is_ascii_alphanumeric)
        && run_back(text, at, before, |byte| byte.is_ascii_alphanumeric()) == before;
    fits.then(|| (at - before, end, kind))
}

/// Secrets with a colon inside or before them: Telegram, Asana, and keys of `PuTTY`.
fn around_colon(text: &[u8], at: usize) -> Option<Span> {
    if text[..at].ends_with(b"Private-Lines") {
        let end = text[at..].windows(11).position(|part| part == b"Private-MAC");
        return Some((at + 1, end.map_or(text.len(), |end| at + end), "private-key"));
    }
    telegram(text, at).or_else(|| {
        let digits = run_back(text, at, 20, |byte| byte.is_ascii_digit());
        let body = run(looked_at(text, at + 1, 40), |byte| byte.is_ascii_hexdigit());
        let is_asana = digits >= 13 && body == 32 && text[..at - digits].ends_with(b"/");
        let begin = at - run_back(text, at, 40, |byte| byte.is_ascii_digit() || byte == b'/');
        is_asana.then_some((begin, at + 33, "asana"))
    })
}

/// `123456789:AA…`.
fn telegram(text: &[u8], at: usize) -> Option<Span> {
    if text.get(at + 1) != Some(&b'A') {
        return None;
    }
    let digits = run_back(text, at, 16, |byte| byte.is_ascii_digit());
    let body = run(looked_at(text, at + 1, 64), is_dash);
    (digits >= 6 && (34..=40).contains(&body)).then_some((at - digits, at + 1 + body, "telegram"))
}

/// Tokens with a random beginning and a dot inside: Discord, Terraform and Airtable.
fn around_dot(text: &[u8], at: usize) -> Option<Span> {
    let rest = &text[at..];
    if rest.get(7) == Some(&b'.') && run(&rest[1..7], is_dash) == 6 {
        let before = run_back(text, at, 48, is_dash);
        let last = run(looked_at(text, at + 8, 64), is_dash);
        let is_random = tokens::is_random(&text[at - before..at]);
        let is_token = (23..48).contains(&before) && is_random && (27..=40).contains(&last);
        return is_token.then_some((at - before, at + 8 + last, "discord"));
    }
    if rest.starts_with(b".atlasv1.") {
        let (before, last) = (run_back(text, at, 14, is_dash), run(looked_at(text, at + 9, 128), is_dash));
        return (before == 14 && last >= 40).then_some((at - before, at + 9 + last, "terraform"));
    }
    // `pat` and 14 letters, then 64 digits.
    if at >= 17 && text[at - 17..].starts_with(b"pat") {
        let last = run(looked_at(text, at + 1, 80), |byte| byte.is_ascii_hexdigit());
        return (last == 64).then(|| (at - 17, at + 65, "airtable"));
    }
    None
}

/// `abc8Q~…`.
fn azure(text: &[u8], at: usize) -> Option<Span> {
    let belongs = |byte: u8| is_dash(byte) || matches!(byte, b'.' | b'~');
    let before = run_back(text, at, 4, belongs);
    let after = run(looked_at(text, at + 2, 64), belongs);
    let digit = at.checked_sub(1).is_some_and(|digit| text[digit].is_ascii_digit());
    (before == 4 && digit && (31..=40).contains(&after)).then(|| (at - 4, at + 2 + after, "azure"))
}

/// The number of further bytes of a long secret.
pub(super) fn rest_of_long(from_begin: &[u8], length: usize) -> usize {
    const LONG: usize = 500;
    if length < LONG {
        return 0;
    }
    let ends = |byte: u8| byte.is_ascii_whitespace() || b"\"'`;|&<>()\\,".contains(&byte);
    if from_begin.get(length - 1).copied().is_none_or(ends) {
        return 0;
    }
    run(&from_begin[length..], |byte| !ends(byte))
}

/// The number of leading bytes that belong.
pub(super) fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

/// The number of bytes before this place that belong, up to a limit.
pub(super) fn run_back(text: &[u8], at: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text[..at].iter().rev().take(most).take_while(|byte| belongs(**byte)).count()
}

/// At most this many bytes from this place on.
pub(super) fn looked_at(text: &[u8], from: usize, most: usize) -> &[u8] {
    let from = from.min(text.len());
    &text[from..text.len().min(from + most)]
}

/// The text before this place in the same command, up to a limit.
pub(super) fn command_before(text: &[u8], at: usize) -> &[u8] {
    let before = &text[at.saturating_sub(COMMAND)..at];
    let begin = before.iter().rposition(|byte| matches!(byte, b'\n' | b';' | b'|')).map_or(0, |end| end + 1);
    &before[begin..]
}

/// The longest text before an option in which its program is searched.
pub(super) const COMMAND: usize = 300;

pub(super) fn is_dash(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
