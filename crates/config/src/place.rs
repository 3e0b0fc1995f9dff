//! Line and column in a file.

use std::fmt;

/// A line and a column, both counted from 1; columns count characters, as editors do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Place {
    /// The beginning of a file, for problems that concern all of it.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Turns byte offsets into places, for parsers that give nothing but offsets.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The place of a byte; an offset beyond the end is the end, one inside a character that character.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        Place { line: counted(line), column: counted(column) }
    }
}

/// From 0-based to 1-based; a file with more lines than fit is no file that a person has written.
pub(crate) fn counted(zero_based: usize) -> u32 {
    u32::try_from(zero_based).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::{Lines, Place};

    #[test]
    fn offsets_become_lines_and_columns_of_characters() {
        let lines = Lines::new("ab\nçd\r\n\nx");
        for (offset, line, column) in
            [(0, 1, 1), (2, 1, 3), (3, 2, 1), (4, 2, 1), (5, 2, 2), (8, 3, 1), (9, 4, 1), (99, 4, 2)]
        {
            assert_eq!(lines.place(offset), Place { line, column }, "offset {offset}");
        }
    }
}
