//! How good a ranking is, and between which bounds that lies.

use std::sync::Arc;

use tenter_memory::{Embedder, SearchMode};

use crate::Result;
use crate::sets::Set;
use crate::store::Store;

/// A result beyond this place is not read by anyone.
pub(crate) const READ: usize = 10;
/// Resamples of a bootstrap.
const RESAMPLES: usize = 2000;

/// A mean with the bounds between which 95 of 100 resamples lie.
#[derive(Clone, Copy)]
pub(crate) struct Mean {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// One set's row of the page. All are mean reciprocal ranks, but for the last three.
pub(crate) struct Row {
    pub(crate) set: &'static str,
    pub(crate) about: &'static str,
    pub(crate) questions: usize,
    pub(crate) texts: usize,
    pub(crate) words: Mean,
    pub(crate) meaning: Mean,
    pub(crate) both: Mean,
    /// By both less by words, question by question.
    pub(crate) gain: Mean,
    /// The share of questions whose answer is among the first ten: by words, by meaning, by both.
    pub(crate) found: [f64; 3],
}

/// Asks every question of a set by words, by meaning and by both.
pub(crate) fn compare(set: &Set, embedder: &Arc<dyn Embedder>) -> Result<Row> {
    let store = Store::open_all(&set.texts, embedder)?;
    let ranks = |mode: SearchMode| -> Result<Vec<f64>> {
        let asked = set.questions.iter().map(|question| {
            let found = store.find(&question.text, mode)?;
            Ok(found.iter().position(|place| *place == question.answer).map_or(0.0, |at| share(1, at + 1)))
        });
        asked.collect()
    };
    let words = ranks(SearchMode::Keyword)?;
    let meaning = ranks(SearchMode::Semantic)?;
    let both = ranks(SearchMode::Hybrid)?;
    let gain: Vec<f64> = both.iter().zip(&words).map(|(both, words)| both - words).collect();
    let found = [&words, &meaning, &both]
        .map(|ranks| share(ranks.iter().filter(|rank| **rank > 0.0).count(), ranks.len()));
    Ok(Row {
        set: set.name,
        about: set.about,
        questions: set.questions.len(),
        texts: set.texts.len(),
        words: mean(&words),
        meaning: mean(&meaning),
        both: mean(&both),
        gain: mean(&gain),
        found,
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions are small")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The mean, and its bounds by drawing as many values again and again, always the same ones.
pub(crate) fn mean(values: &[f64]) -> Mean {
    let count = values.len().max(1);
    let average = |sum: f64| sum * share(1, count);
    let mut dice = Dice::new();
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| average((0..count).map(|_| values.get(dice.below(count)).copied().unwrap_or(0.0)).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |per_mille: usize| means[(RESAMPLES - 1) * per_mille / 1000];
    Mean { value: average(values.iter().sum()), low: at(25), high: at(975) }
}

/// xorshift64*: good enough to draw with, and the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        Self(8)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(drawn).unwrap_or(0) % count.max(1)
    }

    pub(crate) fn shuffle(&mut self, list: &mut [usize]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}
