//! Finds tokens by the table in `rules.rs`.

use super::patterns::{Span, run};
use super::rules::{Before, Chars, TOKENS, Token};

/// The bytes of a run that are checked: a long run may be searched again at each of its bytes.
const DECIDES: usize = 512;

/// The token that begins at this place.
pub(super) fn at(text: &[u8], at: usize) -> Option<Span> {
    let rest = &text[at..];
    let second = *rest.get(1)?;
    let fits = |token: &&Token| {
        let begin = token.begin.as_bytes();
        begin[1] == second && rest.starts_with(begin)
    };
    let first = usize::from(rest[0]);
    let bucket = &ORDER[usize::from(START[first])..usize::from(START[first + 1])];
    bucket.iter().map(|number| &TOKENS[usize::from(*number)]).filter(fits).find_map(|token| {
        let after = &rest[token.begin.len()..];
        let looked_at = &after[..after.len().min(DECIDES)];
        let length = run(looked_at, |byte| token.chars.has(byte));
        let body = &looked_at[..length];
        let enough = length >= token.least
            && (!token.digit || body.iter().any(u8::is_ascii_digit))
            && (!token.mixed || is_random(body));
        if !enough || !is_separate(text, at, token, body) || is_made_of_words(token, body) {
            return None;
        }
        let end =
            token.begin.len() + if length < DECIDES { length } else { run(after, |b| token.chars.has(b)) };
        let begin = if token.keep { token.begin.len() } else { 0 };
        Some((at + begin, at + end, token.kind))
    })
}

/// Whether it is not a part of another word, as `sk-…` in `task-…`.
fn is_separate(text: &[u8], at: usize, token: &Token, body: &[u8]) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return true };
    let is_escape = at >= 2 && text[at - 2] == b'\\' && matches!(before, b'n' | b't' | b'r');
    let has_sign = token.begin.bytes().any(|byte| !byte.is_ascii_alphanumeric());
    if token.before == Before::Word && !(token.mixed && has_sign) {
        let is_inside = before.is_ascii_alphanumeric() || matches!(before, b'-' | b'_');
        // A beginning of letters alone occurs inside base64, too.
        return is_escape || !is_inside && (has_sign || !matches!(before, b'+' | b'/'));
    }
    if is_escape || !before.is_ascii_alphanumeric() || token.before == Before::Anything {
        return true;
    }
    // Base64 may contain any beginning, but rarely one with the length of a token.
    let ends = body.len() <= token.least + 40;
    match token.chars {
        Chars::Upper => is_glued_key(before, body),
        Chars::Hex | Chars::UpperDash => ends,
        _ => ends && is_random(body),
    }
}

/// No word has so many capitals and digits in a row. Behind a capital or a digit they may be a part of a longer run, so
/// they must have the length of a key and at least one digit.
fn is_glued_key(before: u8, body: &[u8]) -> bool {
    const LENGTH: usize = 16;
    before.is_ascii_lowercase() || body.len() == LENGTH && body.iter().any(u8::is_ascii_digit)
}

/// `sk-learn-contributed-packages-2026`, `secret_` before a name: words between dashes.
fn is_made_of_words(token: &Token, body: &[u8]) -> bool {
    if token.before != Before::Boundary || token.chars != Chars::Dash {
        return false;
    }
    let longest = body.split(|byte| matches!(byte, b'-' | b'_')).map(<[u8]>::len).max().unwrap_or(0);
    longest < 12
}

/// Whether capitals, small letters and digits are mixed.
pub(super) fn is_random(body: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| body.iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}

/// Whether a value is not a word, path or name in code: capitals, small letters and digits change often.
pub(super) fn is_dense(value: &[u8]) -> bool {
    let class = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
    let changes = value.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_changing = changes * 5 >= value.len() * 2 || digits >= 3 && changes * 3 >= value.len();
    is_random(value) && value.len() >= 16 && is_changing
}

/// The numbers of the rules, ordered by the first byte of each; the order of the table stays within a byte.
static ORDER: [u8; TOKENS.len()] = order();
/// The first rule of each first byte in [`ORDER`].
static START: [u8; 257] = starts();

const fn order() -> [u8; TOKENS.len()] {
    let mut order = [0; TOKENS.len()];
    let mut filled = 0;
    let mut byte = 0;
    while byte < 256 {
        let mut number = 0;
        while number < TOKENS.len() {
            if TOKENS[number].begin.as_bytes()[0] as usize == byte {
                order[filled] = small(number);
                filled += 1;
            }
            number += 1;
        }
        byte += 1;
    }
    order
}

const fn starts() -> [u8; 257] {
    let mut starts = [0; 257];
    let mut byte = 0;
    while byte < 256 {
        let mut count = 0;
        let mut number = 0;
        while number < TOKENS.len() {
            if TOKENS[number].begin.as_bytes()[0] as usize == byte {
                count += 1;
            }
            number += 1;
        }
        starts[byte + 1] = starts[byte] + count;
        byte += 1;
    }
    starts
}

#[expect(clippy::cast_possible_truncation, reason = "the table has fewer rows than a byte has values")]
const fn small(number: usize) -> u8 {
    assert!(number < 256, "the table is too long for a byte");
    number as u8
}
