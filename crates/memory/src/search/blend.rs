//! How words and meaning are put together, and what else counts.

use crate::questions::Fit;
use crate::store::weights;
use crate::words::SearchMode;

/// What meaning counts beside words.
const MEANING: f32 = 0.5;
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
    /// Its tier or importance.
    pub(crate) weight: u8,
    pub(crate) age_ms: u64,
}

/// What a question is compared by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measure {
    /// BM25 of the row that has it best.
    pub(crate) best_bm25: f32,
    /// What a text would have in which every telling word of the question stands once.
    pub(crate) whole_bm25: f32,
}

impl Measure {
    /// Adds a telling word that stands in so many of all texts.
    #[expect(clippy::cast_precision_loss, reason = "texts are counted in hundreds of thousands at most")]
    pub(crate) fn add_word(&mut self, of: usize, texts: usize) {
        let (of, texts) = (of as f32, texts.min(of) as f32);
        self.whole_bm25 += ((of - texts + 0.5) / (texts + 0.5)).ln().max(1e-6);
    }
}

/// How well something fits. The order is that of a blend of words and meaning; the relevance says how much of the
/// question is in it, which can be compared between questions where BM25 alone cannot.
pub(crate) fn fit(mode: SearchMode, measure: Measure, seen: &Seen) -> Fit {
    let share = |of: f32| seen.bm25.filter(|_| of > 0.0).map_or(0.0, |bm25| bm25 / of);
    let (words, covered) = (share(measure.best_bm25), share(measure.whole_bm25).min(1.0));
    let meaning = seen.cosine.unwrap_or(0.0).max(0.0);
    let (blended, relevance) = match mode {
        SearchMode::Keyword => (words, covered),
        SearchMode::Semantic => (meaning, meaning),
        SearchMode::Hybrid => (words * (1.0 - MEANING) + meaning * MEANING, meaning + covered),
    };
    let score =
        blended * (1.0 - WEIGHT * (1.0 - weights::share(seen.weight))) * (1.0 - AGE * aged(seen.age_ms));
    Fit { relevance, score, cosine: seen.cosine, bm25: seen.bm25 }
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
        Seen { bm25: Some(bm25), cosine: Some(cosine), weight: 255, age_ms: 0 }
    }

    #[test]
    fn one_chance_word_of_many_is_not_relevant_however_good_it_is_beside_others() {
        let mut measure = Measure { best_bm25: 5.0, whole_bm25: 0.0 };
        for _ in 0..8 {
            measure.add_word(1000, 5);
        }
        let chance = fit(SearchMode::Hybrid, measure, &seen(5.0, 0.1));
        assert!(chance.relevance < 0.3, "{chance:?}");
        let most = fit(SearchMode::Hybrid, measure, &seen(30.0, 0.6));
        assert!(most.relevance > 1.0, "{most:?}");
    }

    #[test]
    fn the_better_tier_and_the_later_one_come_first_and_are_as_relevant() {
        let measure = Measure { best_bm25: 5.0, whole_bm25: 5.0 };
        let gold = fit(SearchMode::Hybrid, measure, &seen(5.0, 0.5));
        for lesser in
            [Seen { weight: 128, ..seen(5.0, 0.5) }, Seen { age_ms: 90 * 86_400_000, ..seen(5.0, 0.5) }]
        {
            let lesser = fit(SearchMode::Hybrid, measure, &lesser);
            assert!(lesser.score < gold.score && lesser.score > gold.score / 2.0, "{lesser:?}");
            assert!((lesser.relevance - gold.relevance).abs() < f32::EPSILON, "{lesser:?}");
        }
    }
}
