//! How words and meaning are put together, and what else counts.

use crate::questions::Fit;
use crate::store::weights::share;
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

/// How well something fits, from what was found about it. `best_bm25` is that of the best.
pub(crate) fn fit(
    mode: SearchMode,
    bm25: Option<f32>,
    best_bm25: f32,
    cosine: Option<f32>,
    weight: u8,
    age_ms: u64,
) -> Fit {
    let words = bm25.map_or(0.0, |bm25| if best_bm25 > 0.0 { bm25 / best_bm25 } else { 0.0 });
    let meaning = cosine.unwrap_or(0.0).max(0.0);
    let relevance = match mode {
        SearchMode::Keyword => words,
        SearchMode::Semantic => meaning,
        SearchMode::Hybrid => words * (1.0 - MEANING) + meaning * MEANING,
    };
    let score = relevance * (1.0 - WEIGHT * (1.0 - share(weight))) * (1.0 - AGE * aged(age_ms));
    Fit { relevance, score, cosine, bm25 }
}

/// How old something is, from 0 for now to 1 for long ago.
#[expect(clippy::cast_precision_loss, reason = "days are counted, not milliseconds")]
fn aged(age_ms: u64) -> f32 {
    1.0 - 0.5_f32.powf(age_ms as f32 / DAY_MS / HALF_AFTER_DAYS)
}
