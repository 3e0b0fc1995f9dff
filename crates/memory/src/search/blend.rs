//! How words and meaning are put together, and what else counts.

use crate::fusion::{self, Hit, Question};
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

/// What was found about a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) bm25: Option<f32>,
    pub(crate) cosine: Option<f32>,
    /// How much of the question's words it has, where BM25 cannot say: among few texts.
    pub(crate) covered: Option<f32>,
    /// Its tier or importance.
    pub(crate) weight: u8,
    pub(crate) age_ms: u64,
}

/// How well something fits. `best_bm25` is that of the row with the best words.
pub(crate) fn fit(mode: SearchMode, question: &Question, best_bm25: f32, seen: &Seen) -> Fit {
    let Seen { bm25, cosine, covered, weight, age_ms } = *seen;
    let relevance = |cosine| match covered {
        Some(covered) => fusion::relevance_of(cosine, covered),
        None => fusion::relevance(&Hit { id: (), score: 0.0, cosine, bm25 }, question),
    };
    let (blended, relevance) = match mode {
        SearchMode::Keyword => {
            let words = bm25.filter(|_| best_bm25 > 0.0).map_or(0.0, |bm25| bm25 / best_bm25);
            (words, relevance(None))
        }
        SearchMode::Semantic => {
            let meaning = cosine.unwrap_or(0.0).max(0.0);
            (meaning, meaning)
        }
        SearchMode::Hybrid => (fusion::blend(question, bm25, cosine), relevance(cosine)),
    };
    let score = blended * (1.0 - WEIGHT * (1.0 - weights::share(weight))) * (1.0 - AGE * aged(age_ms));
    Fit { relevance, score, cosine, bm25, floor: fusion::floor(question.texts()) }
}

/// How old something is, from 0 for now to 1 for long ago.
#[expect(clippy::cast_precision_loss, reason = "days are counted, not milliseconds")]
fn aged(age_ms: u64) -> f32 {
    1.0 - 0.5_f32.powf(age_ms as f32 / DAY_MS / HALF_AFTER_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bm25: f32, cosine: f32) -> Seen {
        Seen { bm25: Some(bm25), cosine: Some(cosine), covered: None, weight: 255, age_ms: 0 }
    }

    fn question() -> Question {
        (0..8).fold(Question::new(1000), |question, _| question.with_word(5))
    }

    #[test]
    fn one_chance_word_of_many_is_not_relevant_however_good_it_is_beside_others() {
        let chance = fit(SearchMode::Hybrid, &question(), 5.0, &seen(5.0, 0.1));
        assert!(chance.relevance < 0.3, "{chance:?}");
        let most = fit(SearchMode::Hybrid, &question(), 30.0, &seen(30.0, 0.6));
        assert!(most.relevance > 0.8, "{most:?}");
    }

    #[test]
    fn the_better_tier_and_the_later_one_come_first_and_are_as_relevant() {
        let gold = fit(SearchMode::Hybrid, &question(), 5.0, &seen(5.0, 0.5));
        for lesser in
            [Seen { weight: 128, ..seen(5.0, 0.5) }, Seen { age_ms: 90 * 86_400_000, ..seen(5.0, 0.5) }]
        {
            let lesser = fit(SearchMode::Hybrid, &question(), 5.0, &lesser);
            assert!(lesser.score < gold.score && lesser.score > gold.score / 2.0, "{lesser:?}");
            assert!((lesser.relevance - gold.relevance).abs() < f32::EPSILON, "{lesser:?}");
        }
    }
}
