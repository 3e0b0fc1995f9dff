//! How words and meaning are put together, and when what was found is worth showing.
//!
//! Pure functions over numbers; the store asks them. The forms and constants were chosen by comparing about forty on
//! pairs of texts and on the sets of `just eval`, whose page (`docs/reference/search-evaluation.md`) says what comes of
//! them.

mod question;
mod relevance;
mod few;

use std::collections::BTreeMap;

pub(crate) use few::{FEW, FewTexts};
pub use question::Question;
pub(crate) use relevance::relevance_of;
pub use relevance::{floor, is_relevant, relevance};

/// How much more two shared words say than one. With 1, a word that is shared by chance outweighs a like meaning; from
/// 2 on, most of what words say is lost.
const TOGETHER: f32 = 1.5;

/// Something that was found, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<Id> {
    /// What was found.
    pub id: Id,
    /// What it is ranked by, from 0 for nothing in common to about 2 for the same words and the same meaning.
    pub score: f32,
    /// How alike the meanings are, if it is known.
    pub cosine: Option<f32>,
    /// BM25 of the words they share, if they do; more is better.
    pub bm25: Option<f32>,
}

/// Puts what was found by words (id, BM25) and by meaning (id, cosine) into one list, best first.
///
/// `cosine_of` is asked for what was found by words alone: without it such a hit would count as if its meaning were
/// foreign. Of equal scores the smaller id comes first.
pub fn fuse<Id: Copy + Ord>(
    question: &Question,
    by_words: &[(Id, f32)],
    by_meaning: &[(Id, f32)],
    cosine_of: impl Fn(Id) -> Option<f32>,
) -> Vec<Hit<Id>> {
    let mut found: BTreeMap<Id, (Option<f32>, Option<f32>)> = BTreeMap::new();
    for (id, bm25) in by_words {
        found.entry(*id).or_default().0 = Some(*bm25);
    }
    for (id, cosine) in by_meaning {
        found.entry(*id).or_default().1 = Some(*cosine);
    }
    let hits = found.into_iter().map(|(id, (bm25, cosine))| {
        let cosine = cosine.or_else(|| cosine_of(id));
        Hit { id, score: blend(question, bm25, cosine), cosine, bm25 }
    });
    let mut hits: Vec<Hit<Id>> = hits.collect();
    // A stable sort keeps the order of ids among equals.
    hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    hits
}

/// The score of one hit: the cosine, and how much of what the question's words weigh is found in it.
///
/// BM25 is divided by what the question's words weigh, and not by the best hit's: where the best has one chance word of
/// ten, words say little, and meaning decides. Reciprocal ranks, which make as much of a weak vector as of an exact
/// word, lost against words alone on every set but the paraphrases.
pub fn blend(question: &Question, bm25: Option<f32>, cosine: Option<f32>) -> f32 {
    let words = bm25.map_or(0.0, |bm25| question.coverage(bm25).powf(TOGETHER));
    words + cosine.unwrap_or(0.0).max(0.0)
}

#[cfg(test)]
mod tests;
