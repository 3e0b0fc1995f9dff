//! What the words of a question weigh.

use super::trade::is_of_the_trade;

/// A text that is short and says a word often gets more than the word's weight from BM25; above this it says no more.
const MOST_COVERED: f32 = 1.5;
/// How rare a word is shows among many texts. Among three every word is rare or stands everywhere, so words are weighed
/// as if they stood among at least so many.
const MANY: usize = 1_000;
/// A word of the trade is taken to stand in at least one of so many texts, whether it does here or not.
const TRADE: usize = 10;
/// How many rare words a question is taken to have at least. `continue` or `hello` alone must not find whatever has it.
const LEAST_WORDS: f32 = 1.5;
/// With so many rare words a question says enough that a like meaning can be believed. *Fix the test* means nearly the
/// same as whatever was learned about tests.
const ENOUGH_WORDS: f32 = 4.0;

/// A question's telling words and names, with what they weigh in this store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Question {
    texts: usize,
    /// What BM25 gives to all words.
    bm25: f32,
    /// What they weigh for one who judges how much of a question is answered.
    words: f32,
    names: f32,
}

impl Question {
    /// A question to a store of so many texts, without its words.
    pub(crate) fn new(texts: usize) -> Self {
        Self { texts, bm25: 0.0, words: 0.0, names: 0.0 }
    }

    /// Adds a word that stands in so many of the texts, and says what it weighs. One that stands in none weighs most.
    /// Words that every question has (*the*, *how*) are not added.
    pub(crate) fn add_word(&mut self, word: &str, places: usize) -> f32 {
        self.bm25 += weight(self.texts, places);
        let many = self.texts.max(MANY);
        let common = if is_of_the_trade(word) { many / TRADE } else { 0 };
        let weight = weight(many, places.max(common));
        self.words += weight;
        weight
    }

    /// Adds a name that stands in so many of the texts, and says what it weighs.
    pub(crate) fn add_name(&mut self, places: usize) -> f32 {
        let weight = weight(self.texts.max(MANY), places);
        self.names += weight;
        weight
    }

    /// How much of the question a text has that got this BM25, from 0 to about 1.
    pub(super) fn coverage(&self, bm25: f32) -> f32 {
        if self.bm25 <= 0.0 { 0.0 } else { (bm25 / self.bm25).clamp(0.0, MOST_COVERED) }
    }

    /// How much of the question is covered by words that weigh so much together, from 0 to 1.
    pub(crate) fn covered(&self, weight: f32) -> f32 {
        (weight / self.words.max(LEAST_WORDS * self.rare())).clamp(0.0, 1.0)
    }

    /// How much of its names are those that weigh so much together, from 0 to 1.
    pub(crate) fn named(&self, weight: f32) -> f32 {
        if self.names <= 0.0 { 0.0 } else { (weight / self.names).clamp(0.0, 1.0) }
    }

    /// How much the question says at all, from 0 for nothing to 1 for enough.
    pub(super) fn substance(&self) -> f32 {
        (self.words / (ENOUGH_WORDS * self.rare())).clamp(0.0, 1.0)
    }

    /// What a word weighs that stands in one text.
    fn rare(&self) -> f32 {
        weight(self.texts.max(MANY), 1)
    }
}

/// BM25's weight of a word, as FTS5 computes it.
fn weight(texts: usize, places: usize) -> f32 {
    let (texts, places) = (length(texts), length(places.min(texts)));
    ((texts - places + 0.5) / (places + 0.5)).ln().max(1e-6)
}

#[expect(clippy::cast_precision_loss, reason = "a weight needs three digits of the count")]
pub(super) fn length(count: usize) -> f32 {
    count as f32
}
