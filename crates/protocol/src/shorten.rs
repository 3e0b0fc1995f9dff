//! Long strings in records: their head and their hash are kept, so that the trail stays readable and the
//! whole can still be recognised.

use std::fmt::Write;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Strings above this many bytes are shortened in records.
pub const LIMIT: usize = 16 * 1024;
/// This much of them is kept.
const HEAD: usize = 1024;

/// Shortens a text if it is too long.
pub fn text(text: &str) -> String {
    if text.len() <= LIMIT {
        return text.to_owned();
    }
    head_and_hash(text)
}

#[cold]
fn head_and_hash(text: &str) -> String {
    let head = whole_words(&text[..text.floor_char_boundary(HEAD)]);
    format!("{head} … [{} bytes, sha256 {}]", text.len(), sha256_hex(text.as_bytes()))
}

/// Whether this is what [`text`] has made of something longer.
pub fn is_shortened(text: &str) -> bool {
    let ending = text.strip_suffix(']').and_then(|text| text.rsplit_once(" … ["));
    ending.and_then(|(_, ending)| ending.split_once(" bytes, sha256 ")).is_some_and(|(bytes, hash)| {
        bytes.parse::<usize>().is_ok_and(|bytes| bytes > LIMIT)
            && hash.len() == 64
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Without the last word, if another one was begun: half a secret would not be recognised as one.
fn whole_words(head: &str) -> &str {
    // A password may have any sign in it, so a word ends where a shell ends it; minified code has no such ends.
    let in_word = |byte: u8| !byte.is_ascii_whitespace() && !b"\"'`".contains(&byte);
    let in_token =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_-.+/=:@~".contains(&byte) || !byte.is_ascii();
    let last_end =
        |inside: &dyn Fn(u8) -> bool| head.bytes().rposition(|byte| !inside(byte)).map_or(0, |last| last + 1);
    let ends = [last_end(&in_word), last_end(&in_token)];
    let end = ends.into_iter().find(|end| head.len() - end <= HEAD / 2);
    end.map_or(head, |end| &head[..end])
}

/// Shortens every string inside a value.
pub fn value(long: &Value) -> Value {
    match long {
        Value::String(string) => Value::String(text(string)),
        Value::Array(list) => Value::Array(list.iter().map(value).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, inner)| (text(key), value(inner))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => long.clone(),
    }
}

/// SHA-256 in lower-case hex, as `sha256sum` prints it.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_keeps_head_size_and_hash() {
        let long = "ä".repeat(LIMIT);
        let short = text(&long);
        assert!(short.starts_with("ää") && short.len() < 2 * HEAD, "{short}");
        assert!(
            short.contains(&format!("{} bytes", long.len())) && short.contains(&sha256_hex(long.as_bytes()))
        );
        assert_eq!(text(&"a".repeat(LIMIT)).len(), LIMIT);
        assert!(is_shortened(&short) && !is_shortened(&long));
        assert!(!is_shortened(" … [20000 bytes, sha256 of it]"));
    }

    #[test]
    fn long_text_is_cut_between_words() {
        let begin = "word ".repeat(204);
        let long = format!("{begin}half-a-secret {}", "x".repeat(LIMIT));
        assert!(text(&long).starts_with(&format!("{begin} … [")), "{}", text(&long));
    }

    #[test]
    fn hash_matches_sha256sum() {
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn cut_leaves_no_partial_address() {
        let begin = "x ".repeat(HEAD / 2 - 20);
        let long = format!("{begin}postgres://me:half$of&a,password@host/db {}", "x".repeat(LIMIT));
        let short = text(&long);
        assert!(short.starts_with(&begin) && !short.contains("half"), "{short}");
    }
}
