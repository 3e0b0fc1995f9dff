//! The port of the embedding: text in, a direction out.

use crate::embedding::minilm::{self, MiniLm};
use crate::embedding::{DIMENSIONS, Embedding, MODEL_ID, OUR_MODELS};

/// Makes vectors of texts. Vectors of two models cannot be compared, so each is kept with the model's id.
pub trait Embedder: Send + Sync {
    /// Which model it is; another one means that everything is embedded again.
    fn model_id(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The direction of a text, scaled so that its longest number is 127 or so; all zeros for a text of which the
    /// model knows nothing.
    fn embed(&self, text: &str) -> Vec<i8>;

    /// How many texts it embeds in a time that nobody who waits for something else notices.
    fn at_once(&self) -> usize {
        5_000
    }

    /// Whether what another model has embedded is embedded again without anybody having asked for it.
    fn takes_over(&self, _other: &str) -> bool {
        true
    }

    /// Whether texts get a vector at all. Reads the model, if it must be read.
    fn can_embed(&self) -> bool {
        true
    }

    /// Why it is not what the user wants it to be, and what to do about it.
    fn trouble(&self) -> Option<&str> {
        None
    }
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

    /// From its own forerunners alone: what somebody has chosen is not undone by a program that does not know of it.
    fn takes_over(&self, other: &str) -> bool {
        other.starts_with(OUR_MODELS)
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

    fn at_once(&self) -> usize {
        minilm::AT_ONCE
    }

    fn takes_over(&self, _: &str) -> bool {
        false
    }
}
