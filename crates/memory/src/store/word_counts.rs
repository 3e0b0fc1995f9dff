//! Finds common words, so that a search need not count their texts.
//!
//! Counting the texts of common words was the slowest part of a search. If a word itself is common, so is its stem, which
//! FTS5 counts, and later rows only add to it.

use std::collections::HashMap;

use super::vector_index::hash_of;
use crate::search::COMMON;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Counted,
    Uncounted,
}

#[derive(Default)]
pub(super) struct WordCounts {
    texts: usize,
    /// The text in which a word was last, and in how many it is.
    words: HashMap<u64, (usize, usize)>,
}

impl WordCounts {
    pub(super) fn add(&mut self, text: &str) {
        self.texts += 1;
        for word in words(text) {
            let (last, count) =
                self.words.entry(hash_of(word.bytes().map(|byte| byte.to_ascii_lowercase()))).or_default();
            if *last != self.texts {
                (*last, *count) = (self.texts, *count + 1);
            }
        }
    }

    pub(super) fn common(&self) -> Vec<u64> {
        let common = self.words.iter().filter(|(_, (_, count))| *count >= COMMON);
        let mut common: Vec<u64> = common.map(|(word, _)| *word).collect();
        common.sort_unstable();
        common
    }
}

/// ASCII words, which FTS5 splits in the same way.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_ascii() && !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && word.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::vector_index::name_hash;

    #[test]
    fn a_word_is_common_if_it_stands_in_many_texts_and_not_if_it_stands_often_in_few() {
        let mut counts = WordCounts::default();
        for number in 0..COMMON {
            counts.add(&format!("The cache, CACHE_{number} of café: {}", "often ".repeat(3)));
            if number > 0 {
                counts.add("rare, rare, cafe");
            }
        }
        let mut expected = ["the", "cache", "of", "often"].map(name_hash);
        expected.sort_unstable();
        assert_eq!(counts.common(), expected);
    }
}
