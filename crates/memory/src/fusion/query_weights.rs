//! What the words of a question weigh.

use super::software_terms::is_software_term;

/// A text that is short and says a word often gets more than the word's weight from BM25; above this it says no more.
const MOST_COVERED: f32 = 1.5;
/// How rare a word is shows among many texts. Among three every word is rare or is everywhere, so words are weighed
/// as if they was among at least so many.
const MANY: usize = 1_000;
/// A software term is taken to are in at least one of so many texts, whether it does here or not.
const SOFTWARE_TERMS: usize = 10;
/// What is taken off each word's weight, as a share of a rare word's. Ten words that are in every sixth text say less
/// than one that is in two, although they weigh more together.
const LITTLE: f32 = 1.0 / 3.0;
/// With so many rare words a question says enough that a like meaning can be believed, and as many it is taken to have
/// at least. *Fix the test* means nearly the same as whatever was learned about tests, and `hello` alone must not find
/// whatever has it.
const ENOUGH_WORDS: f32 = 2.5;

/// With so many rare words a question is about one thing; with more, about several.
const ONE_THING: f32 = 5.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QueryWeights {
    texts: usize,
    /// What BM25 gives to all words.
    bm25: f32,
    /// What they say to one who judges how much of a question is answered; 1 is hardly reached by a word in one text.
    words: f32,
    /// What the names weigh; 1 is a name in one text.
    names: f32,
}

impl QueryWeights {
    /// A question to a store of so many texts, without its words.
    pub(crate) fn new(texts: usize) -> Self {
        Self { texts, bm25: 0.0, words: 0.0, names: 0.0 }
    }

    /// Adds a word that occurs in this number of texts, and returns its weight. A word that occurs in none weighs most.
    /// Words that every question has (*the*, *how*) are not added.
    pub(crate) fn add_word(&mut self, word: &str, places: usize) -> f32 {
        self.bm25 += weight(self.texts, places);
        let many = self.texts.max(MANY);
        let common = if is_software_term(word) { many / SOFTWARE_TERMS } else { 0 };
        let says = (weight(many, places.max(common)) / self.rare() - LITTLE).max(0.0);
        self.words += says;
        says
    }

    pub(crate) fn add_name(&mut self, places: usize) -> f32 {
        let weight = weight(self.texts.max(MANY), places) / self.rare();
        self.names += weight;
        weight
    }

    /// How much of the question a text has that got this BM25, from 0 to about 1.
    pub(super) fn coverage(&self, bm25: f32) -> f32 {
        if self.bm25 <= 0.0 { 0.0 } else { (bm25 / self.bm25).clamp(0.0, MOST_COVERED) }
    }

    /// How much of the question is covered by words that say so much together, from 0 to 1.
    pub(crate) fn covered(&self, says: f32) -> f32 {
        (says / self.words.max(ENOUGH_WORDS)).clamp(0.0, 1.0)
    }

    /// How much of its names are those that weigh so much together, from 0 to 1. One that is in every tenth text is
    /// not much of a name.
    pub(crate) fn named(&self, weight: f32) -> f32 {
        (weight / self.names.max(1.0)).clamp(0.0, 1.0)
    }

    /// How much the question says at all, from 0 for nothing to 1 for enough.
    pub(super) fn substance(&self) -> f32 {
        (self.words / ENOUGH_WORDS).clamp(0.0, 1.0)
    }

    /// How much a like meaning of the whole question says, from 1 for one that is about one thing on. What is about
    /// one of the many things in a long prompt shares words with it; what means the same as all of them together is
    /// about nothing in particular.
    pub(super) fn focus(&self) -> f32 {
        (ONE_THING / self.words.max(ONE_THING)).sqrt()
    }

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
