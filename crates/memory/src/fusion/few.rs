//! What the words of a question weigh where little is stored.
//!
//! How rare a word is shows among many texts. Among three experiences every word is rare or stands everywhere, so
//! there the words are weighed as if they stood among a thousand, and those that coding is full of as if they stood
//! in a tenth of these.

use super::question::weight;
use super::relevance::LEAST_WORDS;

/// With fewer texts than this, the store itself says too little about how rare a word is.
pub(crate) const FEW: usize = 1_000;

/// Words that prompts and lessons about software have everywhere. Sorted, so that they can be searched.
const COMMON: [&str; 72] = [
    "add",
    "added",
    "again",
    "app",
    "bug",
    "build",
    "change",
    "changed",
    "check",
    "class",
    "code",
    "command",
    "config",
    "correct",
    "create",
    "data",
    "delete",
    "error",
    "errors",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "file",
    "files",
    "find",
    "fix",
    "fixed",
    "folder",
    "function",
    "implement",
    "issue",
    "line",
    "method",
    "module",
    "new",
    "old",
    "output",
    "problem",
    "program",
    "project",
    "read",
    "refactor",
    "remove",
    "rename",
    "request",
    "result",
    "run",
    "running",
    "script",
    "server",
    "set",
    "show",
    "slow",
    "start",
    "step",
    "stop",
    "system",
    "test",
    "tests",
    "time",
    "type",
    "update",
    "user",
    "value",
    "work",
    "working",
    "works",
    "write",
    "wrong",
    "wrote",
];

/// The words of a question, and how much of them a text has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FewTexts {
    all: f32,
}

impl FewTexts {
    /// Adds a word that stands in so many texts, and says what it weighs.
    pub(crate) fn add(&mut self, word: &str, places: usize) -> f32 {
        let common = if COMMON.binary_search(&word).is_ok() { FEW / 10 } else { 0 };
        let weight = weight(FEW, places.max(common));
        self.all += weight;
        weight
    }

    /// How much of the question is covered by words that weigh so much together, from 0 to 1.
    pub(crate) fn coverage(self, weight: f32) -> f32 {
        let least = LEAST_WORDS * super::question::weight(FEW, 1);
        if self.all <= 0.0 { 0.0 } else { (weight / self.all.max(least)).clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_trade_are_in_order() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn rare_words_cover_a_question_and_words_of_the_trade_do_not() {
        let mut words = FewTexts::default();
        let [flaky, cache, test, fix] = ["flaky", "cache", "test", "fix"].map(|word| words.add(word, 1));
        assert!(words.coverage(flaky + cache) > 0.7);
        assert!(words.coverage(test + fix) < 0.3);
        let mut alone = FewTexts::default();
        let hello = alone.add("hello", 1);
        assert!(alone.coverage(hello) < 0.7, "one word is not much of a question");
    }
}
