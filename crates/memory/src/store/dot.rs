//! How much two vectors point in one direction.

/// A vector to compare others with, of length one.
pub(crate) struct Query {
    numbers: Vec<i16>,
    inverse: f32,
}

impl Query {
    /// None for a text of which the model knows nothing: it points nowhere.
    pub(crate) fn new(vector: &[i8]) -> Option<Self> {
        let bytes: Vec<u8> = vector.iter().map(|number| number.cast_unsigned()).collect();
        let inverse = inverse_length(&bytes);
        (inverse > 0.0).then(|| Self { numbers: vector.iter().copied().map(i16::from).collect(), inverse })
    }
}

/// The cosine, if the result is also divided by the other's length.
pub(crate) fn dot(vector: &[u8], query: &Query) -> f32 {
    let products = vector.iter().zip(&query.numbers);
    let sum: i32 = products.map(|(a, b)| i32::from(i16::from(a.cast_signed())) * i32::from(*b)).sum();
    as_float(sum) * query.inverse
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
