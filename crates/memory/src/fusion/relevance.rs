//! When what was found is worth showing: most prompts have nothing to do with what is stored.

use super::question::length;
use super::{Hit, Question, TOGETHER};

/// What words count beside meaning.
const WORDS: f32 = 0.6;
/// How many rare words a question is taken to have at least. `continue` or `hello` alone must not find whatever has it.
pub(super) const LEAST_WORDS: f32 = 1.5;
/// From here on something is shown, however much is stored. Of 510 prompts that nothing helps with, the best hits of all
/// lie below among 2,000 experiences, and of 95 in 100 among these and 4,000 texts of manuals, which have a word on
/// everything.
const HIGHEST_FLOOR: f32 = 0.77;
/// The floor above a single text, and what is added with each e-fold. The best of many chance hits looks better than
/// that of few: of prompts that nothing helps with, 98 in 100 had no hit above 0.17 in one text, 0.32 in ten, 0.47 in
/// a hundred, 0.61 in 1,600; of prompts about software that nothing stored helps with, 95 in 100 none above 0.26, 0.39,
/// 0.53 and 0.57.
const LOWEST_FLOOR: f32 = 0.30;
const RISE: f32 = 0.058;

/// From how much relevance on something is shown unasked, in a store of so many texts.
pub fn floor(texts: usize) -> f32 {
    (LOWEST_FLOOR + RISE * length(texts.max(1)).ln()).min(HIGHEST_FLOOR)
}

/// How much a hit is about what was asked, comparable between questions: 0 is nothing, [`floor`] is what is shown.
pub fn relevance<Id>(hit: &Hit<Id>, question: &Question) -> f32 {
    let covered = hit.bm25.map_or(0.0, |bm25| question.coverage_of_at_least(LEAST_WORDS, bm25));
    relevance_of(hit.cosine, covered)
}

/// The same of a text that covers so much of the question's words.
pub(crate) fn relevance_of(cosine: Option<f32>, covered: f32) -> f32 {
    cosine.unwrap_or(0.0).max(0.0) + WORDS * covered.powf(TOGETHER)
}

/// Whether a hit is worth showing to somebody who did not ask for it.
pub fn is_relevant<Id>(hit: &Hit<Id>, question: &Question) -> bool {
    relevance(hit, question) >= floor(question.texts())
}
