//! How good a ranking is, and between which bounds that lies.

use crate::search::Searched;
use crate::sets::Set;

/// A result beyond this place is not read by anybody.
const READ: usize = 10;
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

pub(crate) fn compare(set: &Set, searched: &Searched) -> Row {
    let ranks = |list: &dyn Fn(usize) -> Option<usize>| -> Vec<f64> {
        (0..set.questions.len()).map(|at| reciprocal(list(at))).collect()
    };
    let place = |list: &[usize], at: usize| list.iter().position(|text| *text == set.questions[at].answer);
    let words = ranks(&|at| place(&searched.answers[at].by_words, at));
    let meaning = ranks(&|at| place(&searched.answers[at].by_meaning, at));
    let both =
        ranks(&|at| searched.answers[at].fused.iter().position(|hit| hit.id == set.questions[at].answer));
    let gain: Vec<f64> = both.iter().zip(&words).map(|(both, words)| both - words).collect();
    let found = [&words, &meaning, &both]
        .map(|ranks| share(ranks.iter().filter(|rank| **rank > 0.0).count(), ranks.len()));
    Row {
        set: set.name,
        about: set.about,
        questions: set.questions.len(),
        texts: set.texts.len(),
        words: mean(&words),
        meaning: mean(&meaning),
        both: mean(&both),
        gain: mean(&gain),
        found,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions are small")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn reciprocal(place: Option<usize>) -> f64 {
    place.filter(|place| *place < READ).map_or(0.0, |place| share(1, place + 1))
}

/// The mean, and its bounds by drawing as many values again and again, always the same ones.
pub(crate) fn mean(values: &[f64]) -> Mean {
    let count = values.len().max(1);
    let average = |sum: f64| sum * share(1, count);
    let mut state = 8_u64;
    let mut draw = || {
        // xorshift64*: good enough to draw with, and the same on every machine.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let drawn = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(drawn).unwrap_or(0) % count
    };
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| average((0..count).map(|_| values.get(draw()).copied().unwrap_or(0.0)).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |per_mille: usize| means[(RESAMPLES - 1) * per_mille / 1000];
    Mean { value: average(values.iter().sum()), low: at(25), high: at(975) }
}
