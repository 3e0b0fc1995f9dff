//! The model's file: the tables of its tokenizer and its rows, read where they lie.
//!
//! `scripts/embedding/model_file.py` writes it and says what is where. Nothing is parsed or copied: a table is a
//! part of the file, and looking something up reads a few bytes of it.

use super::DIMENSIONS;

const MAGIC: &[u8; 8] = b"tenter.e";
const VERSION: usize = 1;
const HEAD: usize = 64;
const EMPTY: u16 = u16::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Dropped,
    Space,
    Alone,
}

pub(super) struct ModelFile<'a> {
    middle: &'a [[u8; 4]],
    ranges: &'a [[u8; 12]],
    folds: &'a [[u8; 16]],
    slots: &'a [[u8; 2]],
    ends: &'a [[u8; 4]],
    texts: &'a [u8],
    scales: &'a [[u8; 4]],
    rows: &'a [[u8; DIMENSIONS]],
    /// Rows below this number are the teacher's vocabulary.
    pub(super) of_teacher: usize,
    /// The bytes of the longest piece.
    pub(super) longest: usize,
}

impl<'a> ModelFile<'a> {
    /// Takes a file apart. Runs when the program is compiled, where a panic is a message of the compiler.
    pub(super) const fn read(file: &'a [u8]) -> Self {
        let (head, rest) = file.split_at(HEAD);
        let (magic, _) = head.split_at(MAGIC.len());
        let mut at = 0;
        while at < MAGIC.len() {
            assert!(magic[at] == MAGIC[at], "this is no embedding model");
            at += 1;
        }
        assert!(number(head, 0) == VERSION, "the embedding model is of another version than its reader");
        assert!(number(head, 3) == DIMENSIONS, "the embedding model has another number of dimensions");
        let vocabulary = number(head, 1);
        let (middle, rest) = rest.split_at(DIMENSIONS * 4);
        let (ranges, rest) = rest.split_at(number(head, 5) * 12);
        let (folds, rest) = rest.split_at(number(head, 6) * 16);
        let (slots, rest) = rest.split_at(number(head, 4) * 2);
        let (ends, rest) = rest.split_at(vocabulary * 4);
        let (texts, rest) = rest.split_at(number(head, 7));
        let (scales, rows) = rest.split_at(vocabulary * 4);
        assert!(rows.len() == vocabulary * DIMENSIONS, "the embedding model is cut off");
        assert!(slots.as_chunks::<2>().0.len().is_power_of_two(), "slots are found by a mask");
        Self {
            middle: middle.as_chunks().0,
            ranges: ranges.as_chunks().0,
            folds: folds.as_chunks().0,
            slots: slots.as_chunks().0,
            ends: ends.as_chunks().0,
            texts,
            scales: scales.as_chunks().0,
            rows: rows.as_chunks().0,
            of_teacher: number(head, 2),
            longest: number(head, 8),
        }
    }

    pub(super) fn special(&self, character: char) -> Option<Special> {
        let code = u32::from(character);
        let at = self.ranges.partition_point(|range| u32_at(range, 0) <= code);
        let range = self.ranges.get(at.checked_sub(1)?)?;
        if code > u32_at(range, 4) {
            return None;
        }
        Some(match u32_at(range, 8) {
            0 => Special::Dropped,
            1 => Special::Space,
            _ => Special::Alone,
        })
    }

    /// What a character becomes in lower case and without accents, if that is something else.
    pub(super) fn folded(&self, character: char) -> Option<impl Iterator<Item = char>> {
        let code = u32::from(character);
        let at = self.folds.binary_search_by_key(&code, |fold| u32_at(fold, 0)).ok()?;
        let fold = self.folds.get(at)?;
        let others = [4, 8, 12].map(|place| u32_at(fold, place));
        Some(others.into_iter().filter(|code| *code != 0).filter_map(char::from_u32))
    }

    pub(super) fn row_of(&self, hash: u32, start: &[u8], rest: &[u8]) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let row = u16::from_le_bytes(*self.slots.get(at)?);
            if row == EMPTY {
                return None;
            }
            if self.text_of(row).strip_prefix(start) == Some(rest) {
                return Some(row);
            }
            at = (at + 1) & mask;
        }
    }

    pub(super) fn add_row(&self, row: u16, times: f32, sum: &mut [f32; DIMENSIONS]) {
        let row = usize::from(row);
        let (Some(scale), Some(numbers)) = (self.scales.get(row), self.rows.get(row)) else { return };
        let scale = f32::from_le_bytes(*scale) * times;
        for (sum, number) in sum.iter_mut().zip(numbers) {
            *sum += scale * f32::from(number.cast_signed());
        }
    }

    pub(super) fn take_middle(&self, vector: &mut [f32; DIMENSIONS]) {
        for (number, middle) in vector.iter_mut().zip(self.middle) {
            *number -= f32::from_le_bytes(*middle);
        }
    }

    /// Whether a file with a piece on each line has the teacher's vocabulary, in its order.
    pub(super) fn is_vocabulary(&self, lines: &str) -> bool {
        let rows = (0..self.of_teacher).map(|row| u16::try_from(row).unwrap_or(EMPTY));
        lines.lines().map(str::as_bytes).eq(rows.map(|row| self.text_of(row)))
    }

    pub(super) fn text_of(&self, row: u16) -> &[u8] {
        let row = usize::from(row);
        let end = |row: usize| self.ends.get(row).map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let start = row.checked_sub(1).map_or(0, end);
        self.texts.get(start..end(row)).unwrap_or_default()
    }
}

/// A number of the head, counted after the magic.
const fn number(head: &[u8], which: usize) -> usize {
    let (_, from) = head.split_at(MAGIC.len() + which * 4);
    match from.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes) as usize,
        None => panic!("the head is longer than its numbers"),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
