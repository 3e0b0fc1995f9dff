//! How words and meaning are put together, and what else counts.

use crate::fusion::{self, Evidence, QueryWeights};
use crate::store::weights;
use crate::types::Relevance;
use crate::words::SearchMode;

/// After so many days an experience counts by half of what age may take away.
const HALF_AFTER_DAYS: f32 = 90.0;
/// What age may take away at most.
const AGE: f32 = 0.3;
/// What a tier or an importance may take away at most.
const WEIGHT: f32 = 0.5;
const DAY_MS: f32 = 86_400_000.0;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowEvidence {
    pub(crate) evidence: Evidence,
    /// Its tier or importance.
    pub(crate) weight: u8,
    pub(crate) age_ms: u64,
    pub(crate) has_all_words: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RankingContext {
    pub(crate) mode: SearchMode,
    pub(crate) question: QueryWeights,
    /// That of the row with the best words.
    pub(crate) best_bm25: f32,
    /// From how many texts they are chosen.
    pub(crate) among: usize,
}

pub(crate) fn relevance(ranking: &RankingContext, row: &RowEvidence) -> Relevance {
    let RankingContext { mode, question, best_bm25, among } = ranking;
    let Evidence { bm25, cosine, .. } = row.evidence;
    let (blended, relevance) = match mode {
        SearchMode::Keyword => {
            let words = bm25.filter(|_| *best_bm25 > 0.0).map_or(0.0, |bm25| bm25 / best_bm25);
            (words, fusion::relevance(question, &row.evidence))
        }
        SearchMode::Semantic => {
            let meaning = cosine.unwrap_or(0.0).max(0.0);
            (meaning, meaning)
        }
        SearchMode::Hybrid => {
            (fusion::blend(question, &row.evidence), fusion::relevance(question, &row.evidence))
        }
    };
    let worth = 1.0 - WEIGHT * (1.0 - weights::share(row.weight));
    let score = blended * worth * (1.0 - AGE * aged(row.age_ms));
    Relevance {
        relevance,
        score,
        cosine,
        bm25,
        floor: fusion::floor(*among),
        has_all_words: row.has_all_words,
    }
}

/// How old something is, from 0 for now to 1 for long ago.
#[expect(clippy::cast_precision_loss, reason = "days are counted, not milliseconds")]
fn aged(age_ms: u64) -> f32 {
    1.0 - 0.5_f32.powf(age_ms as f32 / DAY_MS / HALF_AFTER_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(covered: f32, cosine: f32) -> RowEvidence {
        let evidence = Evidence { bm25: Some(40.0 * covered), covered, named: 0.0, cosine: Some(cosine) };
        RowEvidence { evidence, weight: 255, age_ms: 0, has_all_words: false }
    }

    fn ranking() -> RankingContext {
        let mut question = QueryWeights::new(1000);
        for _ in 0..8 {
            question.add_word("word", 5);
        }
        RankingContext { mode: SearchMode::Hybrid, question, best_bm25: 5.0, among: 1000 }
    }

    #[test]
    fn one_chance_word_of_many_is_not_relevant_however_good_it_is_beside_others() {
        let chance = relevance(&ranking(), &row(0.12, 0.1));
        assert!(!chance.is_relevant(), "{chance:?}");
        let most = relevance(&ranking(), &row(0.75, 0.6));
        assert!(most.is_relevant(), "{most:?}");
    }

    #[test]
    fn the_better_tier_and_the_later_one_come_first_and_are_as_relevant() {
        let gold = relevance(&ranking(), &row(0.1, 0.5));
        for lesser in [
            RowEvidence { weight: 128, ..row(0.1, 0.5) },
            RowEvidence { age_ms: 90 * 86_400_000, ..row(0.1, 0.5) },
        ] {
            let lesser = relevance(&ranking(), &lesser);
            assert!(lesser.score < gold.score && lesser.score > gold.score / 2.0, "{lesser:?}");
            assert!((lesser.relevance - gold.relevance).abs() < f32::EPSILON, "{lesser:?}");
        }
    }
}
