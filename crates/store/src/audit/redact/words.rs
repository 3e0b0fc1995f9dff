//! Names of secrets with a value behind a space or a tag: netrc, SQL, `aws configure set`, XML.

use super::patterns::{Span, looked_at, run, stands_alone};
use super::tokens::is_random;

/// How far `login` stands before `password` in a netrc file.
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
    if word(b"identified by ") && stands_alone(text, at) {
        return quoted(text, at + 14);
    }
    None
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
        b' ' if stands_alone(text, at) => quoted(text, from + 1),
        _ => None,
    }
}

/// `machine h login u password X`, on one line or several.
fn is_netrc(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(ENTRY)..at];
    let has = |word: &[u8]| before.windows(word.len()).any(|window| window == word);
    has(b"login ") && (has(b"machine ") || has(b"default")) || has(b"machine ") && has(b"\\tlogin")
}

/// A value in quotes, as SQL has them, without spaces.
fn quoted(text: &[u8], from: usize) -> Option<Span> {
    let quote = *text.get(from)?;
    if !matches!(quote, b'\'' | b'"') {
        return None;
    }
    let value = looked_at(text, from + 1, 256);
    let length = run(value, |byte| byte != quote && byte != b'\n');
    let value_ends = value.get(length) == Some(&quote);
    let inside = &value[..length];
    let is_value = length >= 4 && !inside.contains(&b' ') && !b"$<[{%".contains(&inside[0]);
    (value_ends && is_value && inside.iter().any(u8::is_ascii_alphanumeric)).then_some((
        from + 1,
        from + 1 + length,
        "password",
    ))
}
