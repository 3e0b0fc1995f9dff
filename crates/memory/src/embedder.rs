//! The port of the embedding: text in, a direction out.

use crate::embedding::minilm::{self, MiniLm};
use crate::embedding::{DIMENSIONS, Embedding, MODEL_ID};

/// Makes vectors of texts. Vectors of two models cannot be compared, so each is kept with the model's id.
pub trait Embedder: Send + Sync {
    /// Which model it is; another one means that everything is embedded again.
    fn model_id(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The direction of a text, scaled so that its longest number is 127 or so; all zeros for a text of which the
    /// model knows nothing.
    fn embed(&self, text: &str) -> Vec<i8>;
}

/// The model that lies in the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct StaticModel;

impl Embedder for StaticModel {
    fn model_id(&self) -> &str {
        MODEL_ID
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        Embedding::of(text).to_bytes().map(u8::cast_signed).to_vec()
    }
}

impl Embedder for MiniLm {
    fn model_id(&self) -> &str {
        minilm::MODEL_ID
    }

    fn dimensions(&self) -> usize {
        minilm::DIMENSIONS
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        // The file was read before; if it can no longer be, the text points nowhere and is found by its words.
        MiniLm::embed(self, text).map_or_else(|| vec![0; minilm::DIMENSIONS], |vector| vector.to_vec())
    }
}
