//! A text's way through the model: its tokens look at each other six times, and their mean is the vector.

use std::io;

use super::DIMENSIONS;
use super::matrix::{dense, length, normalise, softmax};
use super::weights::{Layer, Weights};

const HEADS: usize = 12;
const WIDTH: usize = DIMENSIONS / HEADS;

impl Weights {
    /// The mean of the tokens' last states, not brought to any length.
    pub(super) fn forward(&self, tokens: &[u16]) -> io::Result<Vec<f32>> {
        let mut rows = Vec::with_capacity(tokens.len() * DIMENSIONS);
        for (token, position) in tokens.iter().zip(self.positions.chunks_exact(DIMENSIONS)) {
            let word = self.word(*token)?;
            rows.extend(
                word.iter()
                    .zip(position)
                    .zip(&self.kind)
                    .map(|((word, position), kind)| word + position + kind),
            );
        }
        normalise(&mut rows, &self.first);
        for layer in &self.layers {
            rows = layer.forward(rows);
        }
        let share = 1.0 / length(tokens.len().max(1));
        let mut mean = vec![0.0; DIMENSIONS];
        for row in rows.chunks_exact(DIMENSIONS) {
            mean.iter_mut().zip(row).for_each(|(mean, number)| *mean += number * share);
        }
        Ok(mean)
    }
}

impl Layer {
    fn forward(&self, rows: Vec<f32>) -> Vec<f32> {
        let query = dense(&rows, DIMENSIONS, &self.query);
        let key = dense(&rows, DIMENSIONS, &self.key);
        let value = dense(&rows, DIMENSIONS, &self.value);
        let attended = dense(&attend(&query, &key, &value), DIMENSIONS, &self.mixed);
        let mut rows = add(rows, &attended);
        normalise(&mut rows, &self.after_attention);
        let mut inner = dense(&rows, DIMENSIONS, &self.inner);
        for number in &mut inner {
            *number = gelu(*number);
        }
        let outer = dense(&inner, inner.len() / (rows.len() / DIMENSIONS), &self.outer);
        let mut rows = add(rows, &outer);
        normalise(&mut rows, &self.after_outer);
        rows
    }
}

/// Each token takes from the others by how well its question fits what they offer, in each head for itself.
fn attend(query: &[f32], key: &[f32], value: &[f32]) -> Vec<f32> {
    let scale = length(WIDTH).sqrt().recip();
    let mut result = vec![0.0; query.len()];
    for (query, result) in query.chunks_exact(DIMENSIONS).zip(result.chunks_exact_mut(DIMENSIONS)) {
        for from in (0..DIMENSIONS).step_by(WIDTH) {
            let head = from..from + WIDTH;
            let mut shares: Vec<f32> = key
                .chunks_exact(DIMENSIONS)
                .map(|key| {
                    query[head.clone()].iter().zip(&key[head.clone()]).map(|(one, other)| one * other).sum()
                })
                .map(|score: f32| score * scale)
                .collect();
            softmax(&mut shares);
            for (share, value) in shares.iter().zip(value.chunks_exact(DIMENSIONS)) {
                let taken = result[head.clone()].iter_mut().zip(&value[head.clone()]);
                taken.for_each(|(sum, number)| *sum += share * number);
            }
        }
    }
    result
}

fn add(mut rows: Vec<f32>, others: &[f32]) -> Vec<f32> {
    rows.iter_mut().zip(others).for_each(|(number, other)| *number += other);
    rows
}

/// The model's switch between letting a number through and not, exact to six digits.
fn gelu(number: f32) -> f32 {
    0.5 * number * (1.0 + erf(number * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function, by the rational approximation 7.1.26 of Abramowitz and Stegun.
fn erf(number: f32) -> f32 {
    const FACTORS: [f32; 5] = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let share = 1.0 / (1.0 + 0.327_591_1 * number.abs());
    let sum = FACTORS.iter().fold(0.0, |sum, factor| sum * share + factor) * share;
    (1.0 - sum * (-number * number).exp()).copysign(number)
}
