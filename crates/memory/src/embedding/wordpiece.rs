//! A word's pieces: the longest known beginning, then the longest known continuation, to the end.

use super::file::ModelFile;

/// What the text of a piece begins with that continues a word.
const CONTINUES: &[u8] = b"##";
/// No word has more pieces: each is at least one of its hundred characters.
const MOST: usize = 100;

impl ModelFile<'_> {
    /// Calls back for each piece of a word, or for none if a part of it is unknown. Says whether to go on.
    ///
    /// Only the vocabulary's first `limit` rows count; a test checks those of the teacher alone.
    pub(super) fn each_piece(&self, word: &str, limit: usize, mut take: impl FnMut(u16) -> bool) -> bool {
        let mut pieces = [0_u16; MOST];
        let mut count = 0;
        let mut from = 0;
        while from < word.len() {
            let start = if from == 0 { &[][..] } else { CONTINUES };
            let Some((piece, bytes)) = self.longest_piece(limit, start, &word[from..]) else { return true };
            let Some(place) = pieces.get_mut(count) else { return true };
            *place = piece;
            count += 1;
            from += bytes;
        }
        pieces.iter().take(count).all(|piece| take(*piece))
    }

    /// Whether a word is one piece of the vocabulary's first `limit` rows.
    pub(super) fn is_piece(&self, word: &str, limit: usize) -> bool {
        self.longest_piece(limit, &[], word).is_some_and(|(_, bytes)| bytes == word.len())
    }

    fn longest_piece(&self, limit: usize, start: &[u8], rest: &str) -> Option<(u16, usize)> {
        // The hashes of all beginnings come in one pass; then the longest is asked for first.
        let mut hash = start.iter().copied().fold(0x811c_9dc5, step);
        let mut beginnings = [(0_u32, 0_usize); MOST];
        let mut count = 0;
        for (at, character) in rest.char_indices() {
            let end = at + character.len_utf8();
            if start.len() + end > self.longest || count == MOST {
                break;
            }
            hash = rest.as_bytes()[at..end].iter().copied().fold(hash, step);
            beginnings[count] = (hash, end);
            count += 1;
        }
        beginnings[..count].iter().rev().find_map(|(hash, end)| {
            let row = self.row_of(*hash, start, &rest.as_bytes()[..*end])?;
            (usize::from(row) < limit).then_some((row, *end))
        })
    }
}

/// FNV-1a, by which the file's slots were filled.
fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}
