//! When what was found is worth showing: most prompts have nothing to do with what is stored.

use super::question::length;
use super::{Evidence, NAMES, Question, TOGETHER};

/// What words count beside meaning. One that is shared by chance says less than nothing, so it takes nearly all.
const WORDS: f32 = 0.3;
/// From how much relevance on something is shown that is the only text, and what is added with each e-fold of texts:
/// the best of many chance hits looks better than that of few. Chosen so that of prompts that have nothing to do with
/// what is stored 99 in 100 get nothing, and of those about other software about nine in ten.
const FLOOR: f32 = 0.24;
const RISE: f32 = 0.033;

/// From how much relevance on something is shown unasked, if it is the best of so many texts.
pub(crate) fn floor(texts: usize) -> f32 {
    FLOOR + RISE * length(texts.max(1)).ln()
}

/// How much a text is about what was asked, comparable between questions: 0 is nothing, [`floor`] is what is shown.
///
/// Meaning and words count by how much the question says; a name says what it is about in one word.
pub(crate) fn relevance(question: &Question, evidence: &Evidence) -> f32 {
    let alike = evidence.cosine.unwrap_or(0.0).max(0.0) + WORDS * evidence.covered.powi(TOGETHER);
    question.substance() * alike + NAMES * evidence.named
}
