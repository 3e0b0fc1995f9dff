//! The mac of a line: HMAC-SHA-256 with the key of the trail.
//!
//! Anyone can recompute a chain of plain hashes, but only a process with the key can make a mac. It covers the line
//! without its mac, and it is the last field: `{…}` becomes `{…,"mac":"<64 hex>"}`. So the line without its mac is the line
//! with the last 74 bytes replaced by `}`.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::hex;

const BEFORE: &[u8] = b",\"mac\":\"";
const AFTER: &[u8] = b"\"}";
const DIGITS: usize = 64;

/// The key of the trail, 32 random bytes, with the first states of HMAC, because one call makes several macs.
#[derive(Clone)]
pub(crate) struct Key {
    bytes: [u8; 32],
    inner: Sha256,
    outer: Sha256,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Key {}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mac {
    /// The line has none: it was written before keys existed.
    None,
    /// It was made with this key for this line.
    Good,
    /// It was not.
    Wrong,
}

impl Key {
    /// HMAC as in RFC 2104; a key of 32 bytes is shorter than a block and needs no hashing.
    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        let pad = |with: u8| {
            let mut block = [with; 64];
            block.iter_mut().zip(bytes).for_each(|(byte, key)| *byte ^= key);
            Sha256::new_with_prefix(block)
        };
        Self { bytes, inner: pad(0x36), outer: pad(0x5c) }
    }

    /// Adds its mac to a line, which is a JSON object with at least one field.
    pub(crate) fn seal(&self, line: &mut Vec<u8>) {
        let mac = self.mac(&[line]);
        line.truncate(line.len().saturating_sub(1));
        line.extend_from_slice(BEFORE);
        line.extend_from_slice(mac.as_bytes());
        line.extend_from_slice(AFTER);
    }

    /// Compares a line with its mac.
    pub(crate) fn check(&self, line: &[u8]) -> Mac {
        match split(line) {
            None => Mac::None,
            Some((before, mac)) if self.mac(&[before, b"}"]).as_bytes() == mac => Mac::Good,
            Some(_) => Mac::Wrong,
        }
    }

    fn mac(&self, parts: &[&[u8]]) -> String {
        let inner = parts.iter().fold(self.inner.clone(), Digest::chain_update);
        hex::encode(&self.outer.clone().chain_update(inner.finalize()).finalize())
    }
}

/// Whether a line has a mac of any key.
pub(crate) fn is_sealed(line: &[u8]) -> bool {
    split(line).is_some()
}

/// A line up to its mac, and the mac. Inside a string the quotes would be escaped, so only a last field can match.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(AFTER)?;
    let (before, mac) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    Some((before.strip_suffix(BEFORE)?, mac))
}

/// Keeps the key out of messages.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 1; its key of 20 bytes is padded with zeros, which HMAC does itself.
    #[test]
    fn macs_are_those_of_the_standard() {
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(Key::new(key).mac(&[b"Hi ", b"There"]), expected);
    }

    #[test]
    fn sealed_line_needs_its_key() {
        let (key, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let mut line = br#"{"seq":1}"#.to_vec();
        assert_eq!((key.check(&line), is_sealed(&line)), (Mac::None, false));
        key.seal(&mut line);
        assert_eq!((key.check(&line), other.check(&line), is_sealed(&line)), (Mac::Good, Mac::Wrong, true));
        let object: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(object["mac"].as_str().unwrap().len(), 64);
        line[7] = b'2';
        assert_eq!(key.check(&line), Mac::Wrong);
    }

    #[test]
    fn text_like_a_mac_is_not_one() {
        let text = format!(r#",\"mac\":\"{}"#, "0".repeat(64));
        let line = format!(r#"{{"problem":"{text}"}}"#);
        assert_eq!(Key::new([1; 32]).check(line.as_bytes()), Mac::None);
        assert_eq!(Key::new([1; 32]).check(b"\"}"), Mac::None);
    }
}
