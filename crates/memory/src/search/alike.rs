//! Compares texts by their words.

use crate::store::vector_index::{hash_of, name_hash};

/// The share of common words above which texts count as equal.
const SAME: f32 = 0.9;

pub(crate) struct WordSet(Vec<u64>);

impl WordSet {
    pub(crate) fn new(text: &str) -> Self {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut hashes: Vec<u64> = words.map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    #[expect(clippy::cast_precision_loss, reason = "texts have thousands of words, not millions")]
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let both = self.0.iter().filter(|word| other.0.binary_search(word).is_ok()).count();
        let either = self.0.len() + other.0.len() - both;
        either == 0 || both as f32 / either as f32 >= SAME
    }
}

fn hash(word: &str) -> u64 {
    if word.is_ascii() {
        hash_of(word.bytes().map(|byte| byte.to_ascii_lowercase()))
    } else {
        name_hash(&word.to_lowercase())
    }
}
