//! When what was found is worth showing: most prompts have nothing to do with what is stored.

use super::{Hit, Question, TOGETHER};

/// What words count beside meaning.
const WORDS: f32 = 0.6;
/// How many rare words a question is taken to have at least. `continue` or `hello` alone must not find whatever has it.
const LEAST_WORDS: f32 = 1.5;
/// From here on something is shown. Of 510 prompts that nothing helps with, the best hits of 98 in 100 lie below.
pub const FLOOR: f32 = 0.72;

/// How much a hit is about what was asked, comparable between questions and stores: 0 is nothing, 0.72 is the floor.
pub fn relevance<Id>(hit: &Hit<Id>, question: &Question) -> f32 {
    let covered = hit.bm25.map_or(0.0, |bm25| question.coverage_of_at_least(LEAST_WORDS, bm25));
    hit.cosine.unwrap_or(0.0).max(0.0) + WORDS * covered.powf(TOGETHER)
}

/// Whether a hit is worth showing to somebody who did not ask for it.
pub fn is_relevant<Id>(hit: &Hit<Id>, question: &Question) -> bool {
    relevance(hit, question) >= FLOOR
}
