//! The file format of the vector index.

use super::dot::{Query, dot};
use super::mapped::Bytes;
use super::vector_index::{IndexRow, name_hash};
use super::word_counts::WordCounts;

const MAGIC: &[u8; 8] = b"tenterc2";
/// The bytes of the header.
pub(super) const HEADER: usize = 56;
const ROW_BYTES: usize = 32;

/// One piece of an index: header, index rows, vectors, common words.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) bytes: Bytes,
    pub(super) count: usize,
    width: usize,
}

impl Block {
    /// All index rows in their order, each with its vector.
    pub(super) fn rows(&self) -> impl Iterator<Item = (IndexRow, &[u8])> {
        let rest = self.bytes.get(HEADER..).and_then(|rest| rest.split_at_checked(self.count * ROW_BYTES));
        let (index, vectors) = rest.unwrap_or_default();
        index.as_chunks().0.iter().map(read_row).zip(vectors.chunks_exact(self.width.max(1)))
    }

    pub(super) fn index_row(&self, at: usize) -> IndexRow {
        let bytes =
            self.bytes.get(HEADER + at * ROW_BYTES..).and_then(|rest| rest.first_chunk::<ROW_BYTES>());
        read_row(bytes.unwrap_or(&[0; ROW_BYTES]))
    }

    pub(super) fn cosine(&self, at: usize, index_row: &IndexRow, query: &Query) -> f32 {
        let begin = HEADER + self.count * ROW_BYTES + at * self.width;
        let vector = self.bytes.get(begin..begin + self.width).unwrap_or_default();
        dot(vector, query) * index_row.inverse
    }

    pub(super) fn is_common(&self, word: &str) -> bool {
        let begin = HEADER + self.count * (ROW_BYTES + self.width);
        let (words, _) = self.bytes.get(begin..).unwrap_or_default().as_chunks::<8>();
        words.binary_search_by_key(&name_hash(word), |word| u64::from_le_bytes(*word)).is_ok()
    }

    pub(super) fn position(&self, number: i64) -> Option<usize> {
        let guess = usize::try_from(number.checked_sub(self.index_row(0).number)?).ok()?;
        if guess < self.count && self.index_row(guess).number == number {
            return Some(guess);
        }
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.index_row(middle).number.cmp(&number) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// Reads a block, if it is complete and of this model and state.
    pub(super) fn read(bytes: Bytes, model: u64, rewritten: i64) -> Option<(Self, i64)> {
        let Header { width, last, count, common } = Header::read(&bytes, model, rewritten)?;
        let index = count.checked_mul(ROW_BYTES.checked_add(width)?)?;
        let whole = bytes.len() == HEADER.checked_add(index)?.checked_add(common.checked_mul(8)?)?;
        whole.then_some((Self { bytes, count, width }, last))
    }
}

fn read_row(bytes: &[u8; ROW_BYTES]) -> IndexRow {
    let eight = |from: usize| bytes[from..].first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    IndexRow {
        number: eight(0).cast_signed(),
        project: eight(8),
        moment_ms: eight(16),
        kind: bytes[24],
        status: bytes[25],
        weight: bytes[26],
        superseded: bytes[27],
        inverse: f32::from_le_bytes([bytes[28], bytes[29], bytes[30], bytes[31]]),
    }
}

pub(super) struct Header {
    width: usize,
    pub(super) last: i64,
    count: usize,
    /// How many words are common.
    common: usize,
}

impl Header {
    /// None for another kind of file, another model or another state.
    pub(super) fn read(bytes: &[u8], model: u64, rewritten: i64) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let mut fields = rest.chunks_exact(8).map(|field| field.try_into().map_or(0, u64::from_le_bytes));
        let mut field = || fields.next();
        let (its_model, width, its_rewritten, last, count, common) =
            (field()?, field()?, field()?, field()?, field()?, field()?);
        let ours = magic == MAGIC && its_model == model && its_rewritten.cast_signed() == rewritten;
        let size = |field: u64| usize::try_from(field).ok();
        let (width, count, common) = (size(width)?, size(count)?, size(common)?);
        ours.then_some(Self { width, last: last.cast_signed(), count, common })
    }
}

#[derive(Default)]
pub(super) struct Draft {
    index: Vec<u8>,
    vectors: Vec<u8>,
    count: usize,
    last: i64,
    pub(super) words: WordCounts,
}

impl Draft {
    pub(super) fn behind(last: i64) -> Self {
        Self { last, ..Self::default() }
    }

    pub(super) fn push(&mut self, index_row: &IndexRow, vector: &[u8]) {
        let IndexRow { number, project, moment_ms, kind, status, weight, superseded, inverse } = index_row;
        self.index.extend_from_slice(&number.to_le_bytes());
        self.index.extend_from_slice(&project.to_le_bytes());
        self.index.extend_from_slice(&moment_ms.to_le_bytes());
        self.index.extend_from_slice(&[*kind, *status, *weight, *superseded]);
        self.index.extend_from_slice(&inverse.to_le_bytes());
        self.vectors.extend_from_slice(vector);
        self.count += 1;
        self.last = *number;
    }

    pub(super) fn finish(self, model: u64, width: usize, rewritten: i64) -> Block {
        let common = self.words.common();
        let size = HEADER + self.index.len() + self.vectors.len() + common.len() * 8;
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(MAGIC);
        let (rewritten, last) = (rewritten.cast_unsigned(), self.last.cast_unsigned());
        for field in [model, width as u64, rewritten, last, self.count as u64, common.len() as u64] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&self.index);
        bytes.extend_from_slice(&self.vectors);
        bytes.extend(common.into_iter().flat_map(u64::to_le_bytes));
        Block { bytes: Bytes::Here(bytes), count: self.count, width }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::store::dot::inverse_length;

    pub(in crate::store) fn draft(vectors: &[(i64, [i8; 4])]) -> Draft {
        let mut draft = Draft::default();
        for (number, vector) in vectors {
            let vector = vector.map(i8::cast_unsigned);
            let inverse = inverse_length(&vector);
            let index_row = IndexRow {
                number: *number,
                project: 3,
                moment_ms: 5,
                kind: 7,
                status: 8,
                weight: 9,
                superseded: 0,
                inverse,
            };
            draft.push(&index_row, &vector);
        }
        draft
    }

    #[test]
    fn a_file_is_read_back_only_whole_and_of_the_same_state() {
        let block = draft(&[(4, [1, 2, 3, 4]), (9, [0, 0, 0, 0])]).finish(11, 4, 13);
        let bytes = block.bytes.to_vec();
        let read =
            |bytes: &[u8], model, rewritten| Block::read(Bytes::Here(bytes.to_vec()), model, rewritten);
        let (again, last) = read(&bytes, 11, 13).unwrap();
        assert_eq!((again.count, again.width, last), (2, 4, 9));
        assert_eq!((again.index_row(1).number, again.position(4), again.position(5)), (9, Some(0), None));
        assert!(read(&bytes, 12, 13).is_none());
        assert!(read(&bytes, 11, 14).is_none());
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], 11, 13).is_none(), "{length}");
        }
    }
}
