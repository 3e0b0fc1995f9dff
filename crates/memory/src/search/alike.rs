//! Two texts that say the same.

use std::collections::HashSet;

/// Texts of which so many words are the same say the same.
const SAME: f32 = 0.9;

/// What a text is compared by.
pub(crate) struct Gist(HashSet<String>);

impl Gist {
    pub(crate) fn of(text: &str) -> Self {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        Self(words.map(str::to_lowercase).collect())
    }

    /// Whether both say the same: nine of ten words stand in both.
    #[expect(clippy::cast_precision_loss, reason = "texts have thousands of words, not millions")]
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let both = self.0.intersection(&other.0).count();
        let either = self.0.len() + other.0.len() - both;
        either == 0 || both as f32 / either as f32 >= SAME
    }
}
