//! Secrets behind a name and a space or a tag: netrc, SQL, `aws configure set`, XML.

use super::assigned;
use super::patterns::{Span, is_word_start, looked_at, run};
use super::tokens::{is_dense, is_random};

/// The longest distance of `login` and `password` in a netrc file.
const ENTRY: usize = 200;

pub(super) fn at(text: &[u8], at: usize) -> Option<Span> {
    let rest = &text[at..];
    let word = |word: &[u8]| rest.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    if word(b"password") || word(b"passwd") {
        let name = if word(b"password") { 8 } else { 6 };
        return after_password(text, at, at + name);
    }
    if word(b"aws_secret_access_key") || word(b"aws_session_token") {
        let from = at + run(looked_at(text, at, 40), |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let spaces = run(looked_at(text, from, 8), |byte| byte == b' ');
        let value = looked_at(text, from + spaces, 4096);
        let length = run(value, |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
        let is_secret = spaces > 0 && length >= 20 && is_random(&value[..length]);
        return is_secret.then_some((from + spaces, from + spaces + length, "key"));
    }
    if word(b"identified ") && is_word_start(text, at) {
        let by =
            looked_at(text, at + 10, 48).windows(4).position(|part| part.eq_ignore_ascii_case(b" by "))?;
        return quoted(text, at + 10 + by + 4);
    }
    None
}

/// The longest text between a name and its value: `is`, `", "`, `"] || "`.
const BETWEEN: usize = 8;

/// `token X`, `API_KEY X`, `getenv("API_KEY", "X")`: a name without a separator, and a random value.
pub(super) fn token_or_key(text: &[u8], at: usize) -> Option<Span> {
    let rest = &text[at + 2..];
    let is_end = |end: u8| rest.first().is_some_and(|byte| byte.eq_ignore_ascii_case(&end));
    if !(is_end(b'n') || is_end(b'y')) || rest.get(1).is_none_or(u8::is_ascii_alphanumeric) {
        return None;
    }
    let kind = assigned::kind_of_option(&text[at.saturating_sub(24)..at + 3])?;
    behind(text, at + 3, kind)
}

/// The random value that follows a name.
fn behind(text: &[u8], from: usize, kind: &'static str) -> Option<Span> {
    let rest = looked_at(text, from, BETWEEN + 512);
    let is = rest.strip_prefix(b" is ").map_or(0, |_| 3);
    let between = is + run(&rest[is..], |byte| b" \t\"'`\\,|[]()?.".contains(&byte));
    let length = run(&rest[between..], |byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte));
    let value = &rest[between..between + length];
    let fits = (1..=BETWEEN).contains(&between) && is_dense(value) && !value.contains(&b'/');
    fits.then_some((from + between, from + between + length, kind))
}

fn after_password(text: &[u8], at: usize, from: usize) -> Option<Span> {
    match text.get(from)? {
        b'>' if at
            .checked_sub(1)
            .is_some_and(|before| text[before] == b'<' || text[before].is_ascii_alphanumeric()) =>
        {
            let value = looked_at(text, from + 1, 512);
            let length = run(value, |byte| byte != b'<' && byte != b'\n');
            let closes = value[length..].starts_with(b"</");
            let is_value = length >= 3 && !b"${[".contains(&value[0]) && !value[..length].contains(&b' ');
            (closes && is_value).then_some((from + 1, from + 1 + length, "password"))
        }
        b' ' | b'\t' if is_netrc(text, at) => {
            let spaces = run(looked_at(text, from, 16), |byte| byte == b' ' || byte == b'\t');
            let value = looked_at(text, from + spaces, 512);
            let length = run(value, |byte| {
                !byte.is_ascii_whitespace() && byte != b'"' && byte != b'\'' && byte != b'\\'
            });
            let shown = value.first().is_none_or(|first| b"$<[{".contains(first));
            (length > 0 && !shown).then_some((from + spaces, from + spaces + length, "password"))
        }
        b' ' if is_word_start(text, at) => {
            quoted(text, from + 1).or_else(|| of_user(text, from)).or_else(|| behind(text, from, "password"))
        }
        b' ' | b'\t' | b'"' | b'\'' => behind(text, from, "password"),
        _ => None,
    }
}

/// `SET PASSWORD FOR user = 'X'`.
fn of_user(text: &[u8], from: usize) -> Option<Span> {
    let rest = looked_at(text, from, 100);
    let user = rest.get(..5).filter(|word| word.eq_ignore_ascii_case(b" for ")).map(|_| &rest[5..])?;
    let equals = user.windows(2).position(|part| part == b"= ")?;
    quoted(text, from + 5 + equals + 2)
}

/// `machine h login u password X`, on one line or several.
fn is_netrc(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(ENTRY)..at];
    let has = |word: &[u8]| before.windows(word.len()).any(|window| window == word);
    // The password may be before the name.
    let behind = looked_at(text, at, ENTRY);
    let names = has(b"login ") || has(b"\\tlogin") || behind.windows(7).any(|window| window == b" login ");
    names && (has(b"machine ") || has(b"default"))
}

/// A value in quotes, as SQL has them, without spaces.
fn quoted(text: &[u8], from: usize) -> Option<Span> {
    let from = from + run(looked_at(text, from, 4), |byte| byte == b'\\');
    let quote = *text.get(from)?;
    if !matches!(quote, b'\'' | b'"') {
        return None;
    }
    let value = looked_at(text, from + 1, 256);
    let length = run(value, |byte| byte != quote && byte != b'\n' && byte != b'\\');
    let value_ends = matches!(value.get(length), Some(byte) if *byte == quote || *byte == b'\\');
    let inside = &value[..length];
    let is_value = length >= 4 && !inside.contains(&b' ') && !b"$<[{%".contains(&inside[0]);
    let is_value = is_value && value_ends && inside.iter().any(u8::is_ascii_alphanumeric);
    is_value.then_some((from + 1, from + 1 + length, "password"))
}
