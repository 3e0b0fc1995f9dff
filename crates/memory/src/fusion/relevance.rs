//! When what was found is worth showing: most prompts have nothing to do with what is stored.
//!
//! It is judged by what speaks for the text itself. How far its meaning exceeds among the meanings of all texts was
//! measured too, and added hardly anything to the words that are shared. Chosen so that of prompts that have nothing to
//! do with what is stored 98 in 100 get nothing in stores of one to ten thousand texts, and of those about other
//! software about nine in ten.

use super::query_weights::length;
use super::{Evidence, NAMES, QueryWeights};

/// From how much relevance on something is shown that is the only text.
const FLOOR: f32 = 0.22;
/// What is added as the logarithm of how many texts there are grows, to this power: the best of many chance hits seems
/// better than that of few, but not by so much that a large store falls silent.
const RISE: f32 = 0.0725;
const POWER: f32 = 2.0 / 3.0;

/// How relevant a text is of which a line is in the question word for word. It is above every floor.
pub(crate) const VERBATIM: f32 = 1.0;

pub(crate) fn floor(texts: usize) -> f32 {
    FLOOR + RISE * length(texts.max(1)).ln().powf(POWER)
}

/// How much a text is about what was asked, comparable between questions: 0 is nothing, [`floor`] is what is shown.
///
/// Meaning counts by how much the question says, and whether of one thing. Of the words, half of a question says a quarter of the whole: one is
/// shared by chance. A name says what it is about in one word.
pub(crate) fn relevance(question: &QueryWeights, evidence: &Evidence) -> f32 {
    let meaning = evidence.cosine.unwrap_or(0.0).max(0.0);
    question.substance() * question.focus() * meaning + evidence.covered.powi(2) + NAMES * evidence.named
}
