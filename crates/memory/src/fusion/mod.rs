//! How words and meaning are put together, and when what was found is worth showing.
//!
//! Pure functions over numbers; the search asks them. The forms and constants were chosen by comparing some dozens on
//! the sets of `just eval`, whose page (`docs/reference/search-evaluation.md`) says what comes of them.

mod query_weights;
mod relevance;
mod software_terms;

pub(crate) use query_weights::QueryWeights;
pub(crate) use relevance::{VERBATIM, floor, relevance};
pub(crate) use software_terms::is_software_term;

/// What the words of a question count compared with its meaning.
const WORDS: f32 = 1.5;
/// How much more many shared words say than few. A text that has a word of ten by chance must not come before one that
/// means the same; with less than this it does, with more an exact sentence no longer comes first.
const TOGETHER: i32 = 3;
/// What a shared name counts: an error code or an identifier in the middle of a long prompt says what it is about.
const NAMES: f32 = 0.4;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// BM25 of the words it shares with the question, if it does; more is better.
    pub(crate) bm25: Option<f32>,
    /// How much of the question's distinctive words it has, from 0 to 1.
    pub(crate) covered: f32,
    /// How much of the question's names it has, from 0 to 1.
    pub(crate) named: f32,
    /// How alike the meanings are, if they were compared.
    pub(crate) cosine: Option<f32>,
}

/// What a text is ranked by, from 0 for nothing in common to about 3 for the same words and the same meaning.
///
/// BM25 is divided by what the question's words weigh, and not by the best hit's: where the best has one chance word of
/// ten, words say little, and meaning decides. Reciprocal ranks, which make as much of a weak vector as of an exact
/// word, lost against words alone on every set but the paraphrases.
pub(crate) fn blend(question: &QueryWeights, evidence: &Evidence) -> f32 {
    let words = evidence.bm25.map_or(0.0, |bm25| question.coverage(bm25).powi(TOGETHER));
    WORDS * words + NAMES * evidence.named + evidence.cosine.unwrap_or(0.0).max(0.0)
}

#[cfg(test)]
mod tests;
