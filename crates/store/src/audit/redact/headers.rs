//! Credentials in headers: `Authorization`, `Cookie`, and `auth` of Docker.

use super::patterns::{Span, is_word_start, looked_at, run};
use super::tokens::is_random;

/// The bytes of a header that are hidden at once, and those that decide whether it is.
const LONGEST: usize = 16 * 1024;
const DECIDES: usize = 256;

/// The credential behind `Bearer` or `Basic`, anywhere.
pub(super) fn scheme(text: &[u8], at: usize) -> Option<Span> {
    let word =
        |word: &[u8]| text.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    if word(b"bearer ") || word(b"bearer\n") || word(br"bearer\"[..7].as_ref()) {
        let (from, length) = credential(text, at + 7)?;
        let value = &text[from..from + length];
        let random = length >= 20 || length >= 8 && value.iter().any(u8::is_ascii_digit);
        let is_next_line = text[at + 6] != b' ';
        return (random && !is_placeholder(value) && (!is_next_line || super::tokens::is_dense(value)))
            .then_some((from, from + length, "bearer"));
    }
    if word(b"basic ") {
        let (from, length) = credential(text, at + 6)?;
        return is_user_and_password(&text[from..from + length]).then_some((from, from + length, "basic"));
    }
    None
}

/// The value of a header or a field at this colon.
pub(super) fn field(text: &[u8], at: usize) -> Option<Span> {
    match *text.get(at.checked_sub(1)?)? {
        b'n' | b'N' | b'e' | b'E' | b'h' | b'H' | b's' | b'S' | b'"' | b'\'' | b' ' => {}
        _ => return None,
    }
    let mut before = text[..at].trim_ascii_end();
    while let Some((b'"' | b'\'' | b'\\', rest)) = before.split_last() {
        before = rest;
    }
    let is_quoted = before.len() < text[..at].trim_ascii_end().len();
    let ends = |name: &[u8]| {
        before.len() >= name.len()
            && before[before.len() - name.len()..].eq_ignore_ascii_case(name)
            && is_word_start(before, before.len() - name.len())
    };
    let (is_authorization, is_cookies) = (ends(b"authorization"), ends(b"cookie") || ends(b"cookies"));
    let is_auth = is_quoted && (ends(b"auth") || ends(b"_auth"));
    if !(is_authorization || is_cookies || is_auth) {
        return None;
    }
    let spaces = run(looked_at(text, at + 1, 64), |byte| byte == b' ' || byte == b'\t');
    let mut from = at + 1 + spaces;
    let escapes = run(looked_at(text, from, 8), |byte| byte == b'\\');
    let quote = text.get(from + escapes).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    if quote.is_some() {
        from += escapes + 1;
    }
    // The last quote around a whole header belongs to the command.
    let belongs = |byte: u8| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\');
    let decides = looked_at(text, from, DECIDES);
    let value = &decides[..run(decides, belongs)];
    let whole = || from + run(looked_at(text, from, LONGEST), belongs);
    if is_authorization {
        let (begin, end) = authorization(value)?;
        let word = value.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let kind = match word {
            word if begin > 0 && word.eq_ignore_ascii_case(b"bearer") => "bearer",
            word if begin > 0 && word.eq_ignore_ascii_case(b"basic") => "basic",
            _ => "authorization",
        };
        let end = if end == value.len() { whole() } else { from + end };
        return Some((from + begin, end, kind));
    }
    if is_cookies {
        return is_cookie(value).then(|| (from, whole(), "cookie"));
    }
    is_user_and_password(value).then(|| (from, whole(), "basic"))
}

/// A credential, with or without a scheme.
fn authorization(value: &[u8]) -> Option<(usize, usize)> {
    let word = run(value, |byte| !byte.is_ascii_whitespace() && byte != b'\'');
    let spaces = run(&value[word..], |byte| byte == b' ');
    let behind = word + spaces;
    let second = behind + run(&value[behind..], |byte| !byte.is_ascii_whitespace() && byte != b'\'');
    let (begin, end) = if second > behind && spaces > 0 {
        // All of the text behind `Digest` and `AWS4-HMAC-SHA256` belongs to it.
        let all = run(value, |byte| byte != b'\'');
        (behind, if value[..word].eq_ignore_ascii_case(b"bearer") { second } else { all })
    } else {
        (0, word)
    };
    let value = &value[begin..end];
    let is_proof =
        value.len() >= 6 && value.iter().any(|byte| byte.is_ascii_digit() || b"+/=".contains(byte));
    ((is_proof || value.len() >= 16 && !value.contains(&b' ')) && !is_placeholder(value))
        .then_some((begin, end))
}

/// Whether it has a pair such as `sid=abc123`.
pub(super) fn is_cookie(value: &[u8]) -> bool {
    value.split(|byte| *byte == b';').any(|pair| is_pair(pair.trim_ascii_start()))
}

fn is_pair(value: &[u8]) -> bool {
    let name = run(value, |byte| byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte));
    let content = value.get(name + 1..).unwrap_or_default();
    let length = run(content, |byte| byte != b';' && !byte.is_ascii_whitespace());
    name > 0
        && value.get(name) == Some(&b'=')
        && length >= 6
        && !is_placeholder(&content[..length])
        && content[..length].iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// Whether this is base64 of `user:password`.
pub(super) fn is_user_and_password(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"=").unwrap_or(value);
    let value = value.strip_suffix(b"=").unwrap_or(value);
    if value.len() < 6 {
        return false;
    }
    let Some(plain) = from_base64(value) else { return false };
    let text = plain.iter().all(|byte| (0x20..0x7f).contains(byte) || *byte >= 0x80);
    text && plain.contains(&b':')
}

fn from_base64(value: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(value.len() * 3 / 4);
    for four in value.chunks(4) {
        let mut bits = 0_u32;
        for byte in four {
            bits = bits << 6 | digit(*byte)?;
        }
        bits <<= 6 * (4 - four.len());
        let [_, bytes @ ..] = bits.to_be_bytes();
        plain.extend_from_slice(&bytes[..(four.len() * 6 / 8).min(3)]);
    }
    Some(plain)
}

fn digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

fn credential(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    // A line may end in between, in a text or in its JSON.
    let mut from = from + run(looked_at(rest, 0, 64), |byte| b" \t\r\n\\".contains(&byte));
    if text[..from].ends_with(b"\\") && text.get(from) == Some(&b'n') {
        from += 1 + run(looked_at(text, from + 1, 64), |byte| byte == b' ' || byte == b'\t');
    }
    let length = run(&text[from..], |byte| byte.is_ascii_alphanumeric() || b"_-.~+/=".contains(&byte));
    (length > 0).then_some((from, length))
}

/// A variable, a text in brackets, or a hidden value.
fn is_placeholder(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or_default();
    b"$<{[%*".contains(&first)
        || value.len() < 40
            && !is_random(value)
            && value.windows(5).any(|part| part.eq_ignore_ascii_case(b"token"))
}
