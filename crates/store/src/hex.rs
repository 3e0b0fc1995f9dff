//! Lower-case hex, for hashes, macs, signatures and file names.

use sha2::{Digest, Sha256};

/// Bytes as text, two characters each.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Text as bytes, if it is exactly what [`encode`] makes of them.
pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
    }
    (encode(&bytes) == text).then_some(bytes)
}

/// The hash of some bytes, 64 characters long.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    encode(&Sha256::digest(bytes))
}

/// A file name for any text: an agent's id may contain `../` or be longer than a name can be. Half of the hash is
/// enough to distinguish sessions.
pub fn file_name(text: &str) -> String {
    let mut name = sha256(text.as_bytes());
    name.truncate(32);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_sha256sum() {
        for (bytes, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            assert_eq!(sha256(bytes.as_bytes()), hash);
        }
    }

    #[test]
    fn bytes_have_one_spelling() {
        assert_eq!((encode(&[0, 10, 255]).as_str(), decode("000aff")), ("000aff", Some([0, 10, 255])));
        for text in ["000aFF", "000af", "000aff0", "000aff00", "+00aff", "", "00 aff", "ä0aff"] {
            assert_eq!(decode::<3>(text), None, "{text}");
        }
    }

    #[test]
    fn file_name_never_leaves_its_folder() {
        for text in ["../../etc/passwd", "", "a/b", &"x".repeat(5000)] {
            let name = file_name(text);
            assert_eq!(name.len(), 32, "{text}");
            assert!(name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        }
    }
}
