//! One set, searched in three ways.

use tenter_memory::embedding::{Embedding, nearest};
use tenter_memory::fusion::{Hit, Question, fuse};

use crate::Result;
use crate::sets::Set;
use crate::words::Words;

/// So many are taken of each kind, as the store does.
const CANDIDATES: usize = 100;

/// A store of texts that can be asked.
pub(crate) struct Store {
    words: Words,
    vectors: Vec<u8>,
}

/// What was found for one question.
pub(crate) struct Answer {
    pub(crate) by_words: Vec<usize>,
    pub(crate) by_meaning: Vec<usize>,
    pub(crate) fused: Vec<Hit<usize>>,
    pub(crate) question: Question,
}

/// What was found for each question of a set.
pub(crate) struct Searched {
    pub(crate) answers: Vec<Answer>,
}

impl Searched {
    pub(crate) fn of(set: &Set) -> Result<Self> {
        let store = Store::of(&set.texts)?;
        let answers = set.questions.iter().map(|question| store.ask(&question.text));
        Ok(Self { answers: answers.collect::<Result<_>>()? })
    }
}

impl Store {
    pub(crate) fn of(texts: &[String]) -> Result<Self> {
        let vectors = texts.iter().flat_map(|text| Embedding::of(text).to_bytes()).collect();
        Ok(Self { words: Words::of(texts)?, vectors })
    }

    pub(crate) fn ask(&self, text: &str) -> Result<Answer> {
        let (by_words, question) = self.words.find(text)?;
        let direction = Embedding::of(text);
        let near = nearest(&direction, &self.vectors, CANDIDATES, |_| true);
        let by_meaning: Vec<(usize, f32)> = near.iter().map(|near| (near.place, near.cosine)).collect();
        let fused = fuse(&question, &by_words, &by_meaning, |place| self.cosine(place, &direction));
        Ok(Answer {
            by_words: by_words.iter().map(|(place, _)| *place).collect(),
            by_meaning: by_meaning.iter().map(|(place, _)| *place).collect(),
            fused,
            question,
        })
    }

    fn cosine(&self, place: usize, to: &Embedding) -> Option<f32> {
        let vector = self.vectors.chunks(tenter_memory::embedding::DIMENSIONS).nth(place)?;
        Some(Embedding::from_bytes(vector)?.cosine(to))
    }
}
