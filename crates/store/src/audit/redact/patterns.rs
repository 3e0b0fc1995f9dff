//! Secrets that are known by their form or by the name before them. No regular expressions: every tool call comes through here, and
//! to compile one takes longer than to write the record.

use super::assigned;

/// Where a secret stands, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) begin: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
}

/// The first two bytes of every form; no second byte is any.
pub(super) const BEGINS: [(&[u8], &[u8]); 11] = [
    (b"g", b"hil"),
    (b"sr", b"k"),
    (b"A", b"KSI"),
    (b"x", b"o"),
    (b"n", b"p"),
    (b"p", b"y"),
    (b"h", b"f"),
    (b"e", b"y"),
    (b"-", b"-"),
    (b"Bb", b"Ee"),
    (b":=", b""),
];

const PRIVATE_KEY: &[u8] = b"-----BEGIN ";

/// A token: how it begins, how many bytes at least follow, which ones, and whose it is.
type Token = (&'static [u8], usize, fn(u8) -> bool, &'static str);

const TOKENS: [Token; 20] = [
    (b"ghp_", 20, is_alphanumeric, "github"),
    (b"gho_", 20, is_alphanumeric, "github"),
    (b"ghu_", 20, is_alphanumeric, "github"),
    (b"ghs_", 20, is_alphanumeric, "github"),
    (b"ghr_", 20, is_alphanumeric, "github"),
    (b"github_pat_", 20, is_wordy, "github"),
    (b"sk-ant-", 16, is_wordy_or_dash, "anthropic"),
    (b"sk-", 20, is_wordy_or_dash, "openai"),
    (b"AKIA", 16, is_upper_or_digit, "aws"),
    (b"ASIA", 16, is_upper_or_digit, "aws"),
    (b"AIza", 30, is_wordy_or_dash, "google"),
    (b"xox", 12, is_alphanumeric_or_dash, "slack"),
    (b"glpat-", 20, is_wordy_or_dash, "gitlab"),
    (b"npm_", 30, is_alphanumeric, "npm"),
    (b"pypi-", 50, is_wordy_or_dash, "pypi"),
    (b"hf_", 30, is_alphanumeric, "huggingface"),
    (b"sk_live_", 16, is_alphanumeric, "stripe"),
    (b"rk_live_", 16, is_alphanumeric, "stripe"),
    (b"sk_test_", 16, is_alphanumeric, "stripe"),
    (b"rk_test_", 16, is_alphanumeric, "stripe"),
];

/// The secret that begins there, or stands behind the sign that is there.
pub(super) fn at(text: &[u8], at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let (from, to, kind) = match *rest.first_chunk()? {
        [b'g', b'h' | b'i' | b'l']
        | [b's' | b'r', b'k']
        | [b'A', b'K' | b'S' | b'I']
        | [b'x', b'o']
        | [b'n', b'p']
        | [b'p', b'y']
        | [b'h', b'f'] => token(rest)?,
        [b'e', b'y'] => json_web_token(rest)?,
        [b'-', b'-'] => private_key(rest)?,
        [b'B' | b'b', b'E' | b'e'] => bearer(rest)?,
        [b':', b'/'] => password(rest)?,
        [b':' | b'=', _] => return assigned(text, at),
        _ => return None,
    };
    Some(Found { begin: at + from, end: at + to, kind })
}

/// A form of its own says more than the name before it.
fn assigned(text: &[u8], at: usize) -> Option<Found> {
    let (begin, end, kind) = assigned::at(text, at)?;
    let known = self::at(text, begin).filter(|found| found.begin == begin && found.end >= end);
    Some(known.unwrap_or(Found { begin, end, kind }))
}

/// Whether a word can begin there: `task-…` holds no `sk-…`.
pub(super) fn may_begin(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| text[before]).filter(|before| is_alphanumeric(*before));
    matches!(text[at], b':' | b'=') || before.is_none_or(|before| is_glued(before, &text[at..]))
}

/// Whether it is a key of AWS all the same: so many capitals and digits in a row stand in no word. Behind a capital they
/// may be a part of something longer, so they must be as many as a key has, and not letters alone.
fn is_glued(before: u8, rest: &[u8]) -> bool {
    const LENGTH: usize = 16;
    let Some(after) = rest.strip_prefix(b"AKIA").or_else(|| rest.strip_prefix(b"ASIA")) else { return false };
    let length = run(after, is_upper_or_digit);
    if before.is_ascii_lowercase() {
        return length >= LENGTH;
    }
    length == LENGTH && after[..length].iter().any(u8::is_ascii_digit)
}

fn token(rest: &[u8]) -> Option<(usize, usize, &'static str)> {
    TOKENS.iter().find_map(|(begin, least, belongs, kind)| {
        let after = rest.strip_prefix(*begin)?;
        let length = run(after, *belongs);
        // Names with dashes are common, but hardly any has digits.
        let random = *kind != "openai" || after[..length].iter().any(u8::is_ascii_digit);
        (length >= *least && random).then_some((0, begin.len() + length, *kind))
    })
}

/// Two parts that are JSON objects in base64, and a signature.
fn json_web_token(rest: &[u8]) -> Option<(usize, usize, &'static str)> {
    let header = rest.strip_prefix(b"eyJ").map(|after| 3 + run(after, is_wordy_or_dash))?;
    let claims = rest[header..].strip_prefix(b".eyJ").map(|after| 4 + run(after, is_wordy_or_dash))?;
    let signed = header + claims;
    let signature = rest[signed..].strip_prefix(b".").map_or(0, |after| 1 + run(after, is_wordy_or_dash));
    Some((0, signed + signature, "jwt"))
}

/// Up to its last line, or to the end if that was cut off.
fn private_key(rest: &[u8]) -> Option<(usize, usize, &'static str)> {
    let label = rest.strip_prefix(PRIVATE_KEY)?;
    let length = run(label, |byte| byte.is_ascii_uppercase() || byte == b' ');
    let (name, after) = label.split_at(length);
    if !(name.ends_with(b"PRIVATE KEY") && after.starts_with(b"-----")) {
        return None;
    }
    let last = [b"-----END ", name, b"-----"].concat();
    let end = rest.windows(last.len()).position(|window| window == last);
    Some((0, end.map_or(rest.len(), |end| end + last.len()), "private-key"))
}

/// Only what comes after the word.
fn bearer(rest: &[u8]) -> Option<(usize, usize, &'static str)> {
    const WORD: &[u8] = b"bearer ";
    let (word, after) = rest.split_at_checked(WORD.len())?;
    let length = run(after, |byte| is_wordy_or_dash(byte) || b".~+/=".contains(&byte));
    let random = length >= 20 || length >= 8 && after[..length].iter().any(u8::is_ascii_digit);
    (word.eq_ignore_ascii_case(WORD) && random).then_some((WORD.len(), WORD.len() + length, "bearer"))
}

/// Only the password of `scheme://user:password@host`.
fn password(rest: &[u8]) -> Option<(usize, usize, &'static str)> {
    const SCHEME_ENDS: &[u8] = b"://";
    let after = rest.strip_prefix(SCHEME_ENDS)?;
    let authority =
        &after[..run(after, |byte| !(byte.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(&byte)))];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority[..host].iter().position(|byte| *byte == b':')?;
    let (from, to) = (SCHEME_ENDS.len() + user + 1, SCHEME_ENDS.len() + host);
    // What is hidden already stands between the same signs.
    (from < to && !rest[from..].starts_with(b"[redacted:")).then_some((from, to, "password"))
}

/// How many bytes from the start belong.
fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_alphanumeric_or_dash(byte: u8) -> bool {
    is_alphanumeric(byte) || byte == b'-'
}

fn is_wordy(byte: u8) -> bool {
    is_alphanumeric(byte) || byte == b'_'
}

fn is_wordy_or_dash(byte: u8) -> bool {
    is_wordy(byte) || byte == b'-'
}

fn is_upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}
