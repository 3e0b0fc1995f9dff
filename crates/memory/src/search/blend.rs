//! How words and meaning are put together, and what else counts.

use crate::fusion::{self, Evidence, Question};
use crate::questions::Fit;
use crate::store::weights;
use crate::words::SearchMode;

/// After so many days an experience counts by half of what age may take away.
const HALF_AFTER_DAYS: f32 = 90.0;
/// What age may take away at most.
const AGE: f32 = 0.3;
/// What a tier or an importance may take away at most.
const WEIGHT: f32 = 0.5;
const DAY_MS: f32 = 86_400_000.0;

/// A row that was found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) evidence: Evidence,
    /// Its tier or importance.
    pub(crate) weight: u8,
    pub(crate) age_ms: u64,
    pub(crate) has_all_words: bool,
}

/// What rows are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) mode: SearchMode,
    pub(crate) question: Question,
    /// That of the row with the best words.
    pub(crate) best_bm25: f32,
    /// From how many texts they are chosen.
    pub(crate) among: usize,
}

/// How well something fits.
pub(crate) fn fit(asked: &Asked, seen: &Seen) -> Fit {
    let Asked { mode, question, best_bm25, among } = asked;
    let Evidence { bm25, cosine, .. } = seen.evidence;
    let (blended, relevance) = match mode {
        SearchMode::Keyword => {
            let words = bm25.filter(|_| *best_bm25 > 0.0).map_or(0.0, |bm25| bm25 / best_bm25);
            (words, fusion::relevance(question, &seen.evidence))
        }
        SearchMode::Semantic => {
            let meaning = cosine.unwrap_or(0.0).max(0.0);
            (meaning, meaning)
        }
        SearchMode::Hybrid => {
            (fusion::blend(question, &seen.evidence), fusion::relevance(question, &seen.evidence))
        }
    };
    let worth = 1.0 - WEIGHT * (1.0 - weights::share(seen.weight));
    let score = blended * worth * (1.0 - AGE * aged(seen.age_ms));
    Fit { relevance, score, cosine, bm25, floor: fusion::floor(*among), has_all_words: seen.has_all_words }
}

/// How old something is, from 0 for now to 1 for long ago.
#[expect(clippy::cast_precision_loss, reason = "days are counted, not milliseconds")]
fn aged(age_ms: u64) -> f32 {
    1.0 - 0.5_f32.powf(age_ms as f32 / DAY_MS / HALF_AFTER_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(covered: f32, cosine: f32) -> Seen {
        let evidence = Evidence { bm25: Some(40.0 * covered), covered, named: 0.0, cosine: Some(cosine) };
        Seen { evidence, weight: 255, age_ms: 0, has_all_words: false }
    }

    fn asked() -> Asked {
        let mut question = Question::new(1000);
        for _ in 0..8 {
            question.add_word("word", 5);
        }
        Asked { mode: SearchMode::Hybrid, question, best_bm25: 5.0, among: 1000 }
    }

    #[test]
    fn one_chance_word_of_many_is_not_relevant_however_good_it_is_beside_others() {
        let chance = fit(&asked(), &seen(0.12, 0.1));
        assert!(!chance.is_relevant(), "{chance:?}");
        let most = fit(&asked(), &seen(0.75, 0.6));
        assert!(most.is_relevant(), "{most:?}");
    }

    #[test]
    fn the_better_tier_and_the_later_one_come_first_and_are_as_relevant() {
        let gold = fit(&asked(), &seen(0.1, 0.5));
        for lesser in
            [Seen { weight: 128, ..seen(0.1, 0.5) }, Seen { age_ms: 90 * 86_400_000, ..seen(0.1, 0.5) }]
        {
            let lesser = fit(&asked(), &lesser);
            assert!(lesser.score < gold.score && lesser.score > gold.score / 2.0, "{lesser:?}");
            assert!((lesser.relevance - gold.relevance).abs() < f32::EPSILON, "{lesser:?}");
        }
    }
}
