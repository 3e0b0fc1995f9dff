//! How much two vectors point in one direction.

/// A vector to compare others with, of length one.
pub(crate) struct Query {
    numbers: Vec<i16>,
    inverse: f32,
    /// Whether this processor multiplies many numbers at once. Asked once and not for each of a hundred thousand.
    wide: bool,
}

impl Query {
    /// None for a text of which the model knows nothing: it points nowhere.
    pub(crate) fn new(vector: &[i8]) -> Option<Self> {
        let bytes: Vec<u8> = vector.iter().map(|number| number.cast_unsigned()).collect();
        let inverse = inverse_length(&bytes);
        let numbers = vector.iter().copied().map(i16::from).collect();
        (inverse > 0.0).then(|| Self { numbers, inverse, wide: is_wide() })
    }
}

/// The cosine, if the result is also divided by the other's length.
pub(crate) fn dot(vector: &[u8], query: &Query) -> f32 {
    as_float(sum_of_products(vector, query)) * query.inverse
}

#[cfg(target_arch = "x86_64")]
fn sum_of_products(vector: &[u8], query: &Query) -> i32 {
    if !query.wide {
        return plain(vector, &query.numbers);
    }
    // SAFETY: `wide` is set only if the processor has AVX2, which is all that the function asks for.
    #[expect(unsafe_code, reason = "the same loop, compiled for processors that take it four times as fast")]
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide(vector: &[u8], query: &[i16]) -> i32 {
    plain(vector, query)
}

/// Sixteen at a time, so that the compiler makes one multiplication of them.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it must be compiled once more inside of `wide`")]
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

/// One divided by the length; 0 for a vector that points nowhere.
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
