//! The three things that are done with rows of numbers.

use super::DIMENSIONS;
use super::weights::{Dense, Norm};

/// Sums are kept in so many lanes, which the processor adds at once.
const LANES: usize = 16;

/// What a small number is added to before dividing, as the model was trained.
const TINY: f32 = 1e-12;

/// Multiplies each row of `from` numbers with a table, and adds what is added.
pub(super) fn dense(rows: &[f32], from: usize, dense: &Dense) -> Vec<f32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[expect(unsafe_code, reason = "the processor was asked just now")]
        // SAFETY: the function needs nothing but that the processor has AVX2 and FMA.
        return unsafe { dense_avx2(rows, from, dense) };
    }
    dense_with(rows, from, dense, |one, other, sum| one * other + sum)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dense_avx2(rows: &[f32], from: usize, dense: &Dense) -> Vec<f32> {
    dense_with(rows, from, dense, f32::mul_add)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it is compiled once for each kind of processor")]
fn dense_with(rows: &[f32], from: usize, dense: &Dense, multiply: impl Fn(f32, f32, f32) -> f32) -> Vec<f32> {
    let to = dense.added.len();
    let mut result = vec![0.0; rows.len() / from * to];
    // A row of the table is read once and used for every token while it is near.
    for (column, (weights, added)) in dense.table.chunks_exact(from).zip(&dense.added).enumerate() {
        for (row, place) in rows.chunks_exact(from).zip(result.iter_mut().skip(column).step_by(to)) {
            let mut sums = [0.0; LANES];
            for (one, other) in row.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0) {
                for lane in 0..LANES {
                    sums[lane] = multiply(one[lane], other[lane], sums[lane]);
                }
            }
            *place = added + sums.iter().sum::<f32>();
        }
    }
    result
}

/// Brings each row to mean 0 and spread 1, then to the scale and shift that were learned.
pub(super) fn normalise(rows: &mut [f32], norm: &Norm) {
    let share = 1.0 / length(DIMENSIONS);
    for row in rows.chunks_exact_mut(DIMENSIONS) {
        let mean = row.iter().sum::<f32>() * share;
        let spread = row.iter().map(|number| (number - mean).powi(2)).sum::<f32>() * share;
        let inverse = (spread + TINY).sqrt().recip();
        for (number, (scale, shift)) in row.iter_mut().zip(norm.scale.iter().zip(&norm.shift)) {
            *number = (*number - mean) * inverse * scale + shift;
        }
    }
}

/// Makes shares of scores: all positive, together 1.
pub(super) fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::MIN, f32::max);
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
    }
    let sum: f32 = scores.iter().sum();
    for score in scores {
        *score /= sum;
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of rows are small")]
pub(super) fn length(count: usize) -> f32 {
    count as f32
}
