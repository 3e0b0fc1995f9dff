//! What a text is about, as 256 small numbers: texts that say the same in other words get near vectors.
//!
//! The model is static: a row of numbers for each piece of a word, summed over a text. It was trained to say what a
//! large model says (`scripts/embedding/README.md`), lies in the program itself, and needs no start: the pages of the
//! file that a text touches are read when it is embedded.
//!
//! ```text
//! text ─▶ words ─▶ pieces ─▶ sum of rows ─▶ less the middle ─▶ eight bits
//!        words.rs wordpiece.rs          mod.rs
//! ```

mod file;
pub mod minilm;
mod wordpiece;
mod words;

use file::ModelFile;

/// How many numbers a vector has.
pub const DIMENSIONS: usize = 256;

/// Which model a vector is from. Stored with every vector: those of two models cannot be compared.
pub const MODEL_ID: &str = "tenter-static-1";

/// With what the ids of this and of earlier models in the program begin.
pub(crate) const OUR_MODELS: &str = "tenter-static-";

/// A text of more pieces is embedded by its beginning; the model was trained on shorter ones.
const MOST_PIECES: usize = 512;

/// A unit vector's numbers are multiplied by this before they are rounded. One above 127 / 200 is rare, and cut.
const SCALE: f32 = 200.0;

/// Checked when this is compiled: a model that does not fit the reader is no program.
static MODEL: ModelFile<'static> = ModelFile::read(include_bytes!("../../model/static-256.bin"));

/// The vector of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedding([i8; DIMENSIONS]);

impl Embedding {
    /// Embeds a text. One without a single known word gets a vector that is near to nothing.
    pub fn from_text(text: &str) -> Self {
        let mut pieces = Vec::with_capacity(64);
        MODEL.each_word(text, true, |word| {
            MODEL.each_piece(word, usize::MAX, |piece| {
                pieces.push(piece);
                pieces.len() < MOST_PIECES
            })
        });
        pieces.sort_unstable();
        let mut sum = [0.0; DIMENSIONS];
        for same in pieces.chunk_by(|one, other| one == other) {
            // A word that is stated four times is not four times as much what a text is about.
            MODEL.add_row(same[0], times(same.len()).sqrt(), &mut sum);
        }
        Self::rounded(&sum)
    }

    /// The vector as it is stored.
    pub fn to_bytes(self) -> [u8; DIMENSIONS] {
        self.0.map(i8::cast_unsigned)
    }

    fn rounded(sum: &[f32; DIMENSIONS]) -> Self {
        let vector = unit(sum).and_then(|mut vector| {
            MODEL.take_middle(&mut vector);
            unit(&vector)
        });
        Self(vector.map_or([0; DIMENSIONS], |vector| vector.map(|number| eight_bits(number * SCALE))))
    }
}

fn unit(vector: &[f32; DIMENSIONS]) -> Option<[f32; DIMENSIONS]> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    (length > f32::MIN_POSITIVE).then(|| vector.map(|number| number / length))
}

#[expect(clippy::cast_possible_truncation, reason = "the number is between -127 and 127")]
fn eight_bits(number: f32) -> i8 {
    number.round().clamp(-127.0, 127.0) as i8
}

#[expect(clippy::cast_precision_loss, reason = "a text has at most a few hundred pieces")]
fn times(count: usize) -> f32 {
    count as f32
}

/// Endings with which an everyday word is still one.
const ENDINGS: [&str; 8] = ["s", "es", "ed", "d", "ing", "ly", "er", "r"];

/// Whether a word, in lower case, is one that the model knows as a whole: everyday English, or one that texts about
/// software have often. Names of things mostly are not.
pub(crate) fn is_everyday(word: &str) -> bool {
    is_known(word, usize::MAX)
}

/// Whether a word, in lower case, is one that texts about software have often, and English has not.
pub(crate) fn is_of_software(word: &str) -> bool {
    is_everyday(word) && !is_known(word, MODEL.of_teacher)
}

fn is_known(word: &str, limit: usize) -> bool {
    let is_piece = |word: &str| MODEL.is_piece(word, limit);
    let stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).filter(|stem| stem.len() > 1);
    is_piece(word) || stems.into_iter().any(|stem| is_piece(stem) || is_piece(&format!("{stem}e")))
}

#[cfg(test)]
mod tests;
