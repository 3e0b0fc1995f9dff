//! What the words of a question weigh.

/// A text that is short and says a word often gets more than the word's weight from BM25; above this it says no more.
const MOST_COVERED: f32 = 1.5;

/// A question's telling words, each with the weight that BM25 gives it in this store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    texts: usize,
    weight: f32,
}

impl Question {
    /// A question to a store of so many texts, without its words.
    pub fn new(texts: usize) -> Self {
        Self { texts, weight: 0.0 }
    }

    /// How many texts there are.
    pub fn texts(&self) -> usize {
        self.texts
    }

    /// Adds a word that stands in so many of the texts; in none, for a word that is not known here, which then weighs
    /// most. Words that every question has (*the*, *how*) are not added.
    #[must_use]
    pub fn with_word(mut self, places: usize) -> Self {
        self.weight += weight(self.texts, places);
        self
    }

    /// How much of the question a text has that got this BM25, from 0 to about 1.
    pub(super) fn coverage(&self, bm25: f32) -> f32 {
        if self.weight <= 0.0 { 0.0 } else { (bm25 / self.weight).clamp(0.0, MOST_COVERED) }
    }

    /// The same for a question that is taken to weigh at least so many rare words: of one that says little, nothing is
    /// covered well.
    pub(super) fn coverage_of_at_least(&self, words: f32, bm25: f32) -> f32 {
        let least = words * length(self.texts.max(2)).ln();
        bm25.clamp(0.0, self.weight) / self.weight.max(least)
    }
}

/// BM25's weight of a word, as FTS5 computes it.
pub(super) fn weight(texts: usize, places: usize) -> f32 {
    let (texts, places) = (length(texts), length(places.min(texts)));
    ((texts - places + 0.5) / (places + 0.5)).ln().max(1e-6)
}

#[expect(clippy::cast_precision_loss, reason = "a weight needs three digits of the count")]
pub(super) fn length(count: usize) -> f32 {
    count as f32
}
