//! The numbers of the model, as a safetensors file has them: a head in JSON, then one table after the other.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;

use serde::Deserialize;

use super::DIMENSIONS;

/// A head of more bytes is no head.
const LONGEST_HEAD: u64 = 1 << 20;
/// Layers of the model, and how many numbers its inner layers have.
const LAYERS: usize = 6;
const INNER: usize = 4 * DIMENSIONS;
const POSITIONS: usize = 512;
const VOCABULARY: usize = 30_522;

/// Everything but the rows of the vocabulary, which are half of the file; those are read as texts need them.
pub(super) struct Weights {
    file: Mutex<File>,
    words_at: u64,
    pub(super) positions: Vec<f32>,
    pub(super) kind: Vec<f32>,
    pub(super) first: Norm,
    pub(super) layers: Vec<Layer>,
}

/// A table and what is added after it.
pub(super) struct Dense {
    pub(super) table: Vec<f32>,
    pub(super) added: Vec<f32>,
}

/// What brings numbers back to one size.
pub(super) struct Norm {
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
}

pub(super) struct Layer {
    pub(super) query: Dense,
    pub(super) key: Dense,
    pub(super) value: Dense,
    pub(super) mixed: Dense,
    pub(super) after_attention: Norm,
    pub(super) inner: Dense,
    pub(super) outer: Dense,
    pub(super) after_outer: Norm,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    data_offsets: [u64; 2],
}

impl Weights {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut reader = Reader::open(path)?;
        let words_at = reader.find("embeddings.word_embeddings.weight", VOCABULARY * DIMENSIONS)?;
        let positions = reader.table("embeddings.position_embeddings.weight", POSITIONS * DIMENSIONS)?;
        let kind = reader.table("embeddings.token_type_embeddings.weight", 2 * DIMENSIONS)?;
        let first = reader.norm("embeddings.LayerNorm")?;
        let layers = (0..LAYERS).map(|layer| reader.layer(layer)).collect::<io::Result<_>>()?;
        Ok(Self { file: Mutex::new(reader.file), words_at, positions, kind, first, layers })
    }

    /// The row of a token.
    pub(super) fn word(&self, token: u16) -> io::Result<Vec<f32>> {
        let mut bytes = vec![0; DIMENSIONS * 4];
        let at = self.words_at + u64::from(token) * DIMENSIONS as u64 * 4;
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut bytes)?;
        Ok(floats(&bytes))
    }
}

struct Reader {
    file: File,
    tensors: HashMap<String, Tensor>,
    data_at: u64,
}

impl Reader {
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut length = [0; 8];
        file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEAD {
            return Err(broken("it is no safetensors file"));
        }
        let mut head = Vec::new();
        Read::by_ref(&mut file).take(length).read_to_end(&mut head)?;
        let entries: HashMap<String, serde_json::Value> =
            serde_json::from_slice(&head).map_err(|_| broken("its head cannot be read"))?;
        let tensors = entries
            .into_iter()
            .filter_map(|(name, entry)| Some((name, serde_json::from_value::<Tensor>(entry).ok()?)));
        Ok(Self { file, tensors: tensors.collect(), data_at: 8 + length })
    }

    /// Where a table begins, if it has as many numbers as it must.
    fn find(&self, name: &str, numbers: usize) -> io::Result<u64> {
        let tensor = self.tensors.get(name).ok_or_else(|| broken(&format!("it has no {name}")))?;
        let [start, end] = tensor.data_offsets;
        if tensor.dtype != "F32" || end.checked_sub(start) != Some(numbers as u64 * 4) {
            return Err(broken(&format!("{name} has another size or type of number")));
        }
        self.data_at.checked_add(start).ok_or_else(|| broken("its head points behind its end"))
    }

    fn table(&mut self, name: &str, numbers: usize) -> io::Result<Vec<f32>> {
        let at = self.find(name, numbers)?;
        let mut bytes = vec![0; numbers * 4];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(floats(&bytes))
    }

    fn norm(&mut self, name: &str) -> io::Result<Norm> {
        Ok(Norm {
            scale: self.table(&format!("{name}.weight"), DIMENSIONS)?,
            shift: self.table(&format!("{name}.bias"), DIMENSIONS)?,
        })
    }

    fn dense(&mut self, name: &str, from: usize, to: usize) -> io::Result<Dense> {
        Ok(Dense {
            table: self.table(&format!("{name}.weight"), from * to)?,
            added: self.table(&format!("{name}.bias"), to)?,
        })
    }

    fn layer(&mut self, layer: usize) -> io::Result<Layer> {
        let own = format!("encoder.layer.{layer}");
        let mut square = |name: &str| self.dense(&format!("{own}.{name}"), DIMENSIONS, DIMENSIONS);
        let query = square("attention.self.query")?;
        let key = square("attention.self.key")?;
        let value = square("attention.self.value")?;
        let mixed = square("attention.output.dense")?;
        Ok(Layer {
            query,
            key,
            value,
            mixed,
            after_attention: self.norm(&format!("{own}.attention.output.LayerNorm"))?,
            inner: self.dense(&format!("{own}.intermediate.dense"), DIMENSIONS, INNER)?,
            outer: self.dense(&format!("{own}.output.dense"), INNER, DIMENSIONS)?,
            after_outer: self.norm(&format!("{own}.output.LayerNorm"))?,
        })
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}
