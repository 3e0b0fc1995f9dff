//! The cosine of two vectors.

pub(crate) struct Query {
    numbers: Vec<i16>,
    inverse: f32,
    /// Whether the processor has AVX2, checked once per query.
    wide: bool,
}

impl Query {
    /// None for a zero vector, which has no direction.
    pub(crate) fn new(vector: &[i8]) -> Option<Self> {
        let bytes: Vec<u8> = vector.iter().map(|number| number.cast_unsigned()).collect();
        let inverse = inverse_length(&bytes);
        let numbers = vector.iter().copied().map(i16::from).collect();
        (inverse > 0.0).then(|| Self { numbers, inverse, wide: is_wide() })
    }
}

/// The cosine times the length of `vector`.
pub(crate) fn dot(vector: &[u8], query: &Query) -> f32 {
    as_float(sum_of_products(vector, query)) * query.inverse
}

#[cfg(target_arch = "x86_64")]
fn sum_of_products(vector: &[u8], query: &Query) -> i32 {
    if !query.wide {
        return plain(vector, &query.numbers);
    }
    // SAFETY: `wide` is set only if the processor has AVX2, which is all that the function asks for.
    #[expect(
        unsafe_code,
        reason = "the same sum by instructions that not every processor has, in half the time"
    )]
    unsafe {
        wide(vector, &query.numbers)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn sum_of_products(vector: &[u8], query: &Query) -> i32 {
    plain(vector, &query.numbers)
}

#[cfg(target_arch = "x86_64")]
fn is_wide() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_wide() -> bool {
    false
}

/// Multiplies sixteen numbers at once. Written by hand, because the compiler turns [`plain`] into two wider multiplications
/// of eight, which are slower.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide(vector: &[u8], query: &[i16]) -> i32 {
    use std::arch::x86_64::{
        _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_setzero_si256,
    };
    let (vectors, rest) = vector.as_chunks::<16>();
    let (queries, query_rest) = query.as_chunks::<16>();
    let mut sums = _mm256_setzero_si256();
    for (vector, query) in vectors.iter().zip(queries) {
        // SAFETY: each reads the sixteen numbers of its array, which may lie anywhere.
        #[expect(unsafe_code, reason = "these instructions read from an address")]
        let (vector, query) =
            unsafe { (_mm_loadu_si128(vector.as_ptr().cast()), _mm256_loadu_si256(query.as_ptr().cast())) };
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_cvtepi8_epi16(vector), query));
    }
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b_01>(two));
    _mm_cvtsi128_si32(one) + plain(rest, query_rest)
}

/// Sixteen at a time, so that the compiler vectorizes the loop.
fn plain(vector: &[u8], query: &[i16]) -> i32 {
    let (vectors, rest) = vector.as_chunks::<16>();
    let (queries, query_rest) = query.as_chunks::<16>();
    let mut sums = [0_i32; 16];
    for (vector, query) in vectors.iter().zip(queries) {
        for at in 0..16 {
            sums[at] += i32::from(i16::from(vector[at].cast_signed())) * i32::from(query[at]);
        }
    }
    let rest = rest.iter().zip(query_rest).map(|(a, b)| i32::from(a.cast_signed()) * i32::from(*b));
    sums.iter().sum::<i32>() + rest.sum::<i32>()
}

/// One divided by the length; 0 for a zero vector.
pub(crate) fn inverse_length(vector: &[u8]) -> f32 {
    let squares: i32 = vector.iter().map(|number| i32::from(number.cast_signed()).pow(2)).sum();
    if squares == 0 { 0.0 } else { 1.0 / as_float(squares).sqrt() }
}

#[expect(clippy::cast_precision_loss, reason = "seven digits are more than eight bits a number have")]
fn as_float(number: i32) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_points_nowhere_is_no_question() {
        assert!(Query::new(&[0; 256]).is_none());
        assert!(inverse_length(&[0; 256]).abs() < f32::EPSILON);
    }

    proptest! {
        #[test]
        fn both_ways_give_the_same_as_one_number_after_the_other(
            pairs in proptest::collection::vec((any::<i8>(), any::<i8>()), 1..300)
        ) {
            let expected: i32 = pairs.iter().map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            let vector: Vec<u8> = pairs.iter().map(|(a, _)| a.cast_unsigned()).collect();
            let numbers: Vec<i16> = pairs.iter().map(|(_, b)| i16::from(*b)).collect();
            prop_assert_eq!(plain(&vector, &numbers), expected);
            let query = Query { numbers, inverse: 1.0, wide: is_wide() };
            prop_assert_eq!(sum_of_products(&vector, &query), expected);
        }
    }
}
