//! The nearest of many vectors, by looking at all of them: 100,000 take about a millisecond, and nothing is built.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{DIMENSIONS, Embedding, as_cosine};

/// A vector that is near, by its place among those that were looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Which vector.
    pub place: usize,
    /// How alike it is.
    pub cosine: f32,
}

/// The vectors nearest to one, best first, of those that are wanted; of equal ones the first.
///
/// `vectors` are the bytes of one vector after the other, as they are stored.
pub fn nearest(to: &Embedding, vectors: &[u8], most: usize, wanted: impl Fn(usize) -> bool) -> Vec<Near> {
    let mut best = BinaryHeap::with_capacity(most + 1);
    let mut least = i32::MIN;
    each_dot(&to.0, vectors, &mut |place, dot| {
        if (best.len() < most || dot > least) && most > 0 && wanted(place) {
            best.push(Reverse((dot, Reverse(place))));
            if best.len() > most {
                best.pop();
            }
            least = best.peek().map_or(i32::MIN, |Reverse((dot, _))| *dot);
        }
    });
    let sorted = best.into_sorted_vec().into_iter();
    sorted.map(|Reverse((dot, Reverse(place)))| Near { place, cosine: as_cosine(dot) }).collect()
}

/// The sum of the products of two vectors.
#[inline]
pub(super) fn dot(one: &[i8; DIMENSIONS], other: &[i8; DIMENSIONS]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(i16::from(*one) * i16::from(*other))).sum()
}

/// Calls back with each vector's dot product.
fn each_dot(to: &[i8; DIMENSIONS], vectors: &[u8], take: &mut impl FnMut(usize, i32)) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was asked just now")]
        // SAFETY: the function needs nothing but that the processor has AVX2.
        return unsafe { each_dot_avx2(to, vectors, take) };
    }
    each_dot_anywhere(to, vectors, take);
}

/// The same code, for registers of twice the width.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn each_dot_avx2(to: &[i8; DIMENSIONS], vectors: &[u8], take: &mut impl FnMut(usize, i32)) {
    each_dot_anywhere(to, vectors, take);
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it is compiled once for each kind of processor")]
fn each_dot_anywhere(to: &[i8; DIMENSIONS], vectors: &[u8], take: &mut impl FnMut(usize, i32)) {
    for (place, vector) in vectors.as_chunks::<DIMENSIONS>().0.iter().enumerate() {
        let dot =
            to.iter().zip(vector).map(|(one, other)| i32::from(*one) * i32::from(other.cast_signed())).sum();
        take(place, dot);
    }
}
