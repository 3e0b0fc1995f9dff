//! SHA-256 in lower-case hex: the spelling of links in the trail and of names in the session folder.

use sha2::{Digest, Sha256};

/// The hash of some bytes, 64 characters long.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest = Sha256::digest(bytes);
    let mut text = String::with_capacity(64);
    for byte in digest {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// A file name for any text: an agent's id may hold `../` or be longer than a name can be. Half of the hash
/// is far more than is needed to keep two sessions apart.
pub(crate) fn file_name(text: &str) -> String {
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
    fn a_file_name_never_leaves_its_folder() {
        for text in ["../../etc/passwd", "", "a/b", &"x".repeat(5000)] {
            let name = file_name(text);
            assert_eq!(name.len(), 32, "{text}");
            assert!(name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        }
    }
}
