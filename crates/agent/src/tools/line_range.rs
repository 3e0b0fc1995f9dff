//! Reads a range of lines from a text of any length.

use std::io::{self, BufRead, ErrorKind};

#[derive(Clone, Copy, Debug)]
pub(super) struct LineRange {
    /// The first line, counted from 1.
    pub(super) first: u64,
    pub(super) most: u64,
    /// Most bytes of all lines.
    pub(super) bytes: usize,
    pub(super) longest: usize,
    pub(super) count_rest: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The lines of the range with their numbers, without line ends.
    pub(super) shown: Vec<(u64, String)>,
    /// Lines counted so far.
    pub(super) counted: u64,
    pub(super) more: bool,
    /// Whether the lines have bytes that are not UTF-8.
    pub(super) not_utf8: bool,
}

/// Reads the lines. The error is a stop or a read error.
pub(super) fn read(mut from: impl BufRead, range: LineRange, stop: &dyn Fn() -> bool) -> io::Result<Lines> {
    let mut lines = Lines::default();
    let mut left = range.bytes;
    let keep = range.longest.saturating_mul(4).saturating_add(4);
    let (mut line, mut length, mut open) = (Vec::new(), 0_u64, false);
    loop {
        if stop() {
            return Err(io::Error::new(ErrorKind::Interrupted, "it was stopped"));
        }
        let buffer = match from.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            if open {
                end_line(&mut lines, &mut left, &range, &mut line, &mut length);
            }
            return Ok(lines);
        }
        let mut rest = buffer;
        while !rest.is_empty() {
            if !open && is_full(&lines, left, &range) {
                lines.more = true;
                if !range.count_rest {
                    return Ok(lines);
                }
            }
            let (piece, ended) = match memchr::memchr(b'\n', rest) {
                Some(at) => (&rest[..at], true),
                None => (rest, false),
            };
            rest = &rest[piece.len() + usize::from(ended)..];
            length += piece.len() as u64;
            line.extend_from_slice(&piece[..piece.len().min(keep.saturating_sub(line.len()))]);
            open = !ended;
            if ended {
                end_line(&mut lines, &mut left, &range, &mut line, &mut length);
            }
        }
        let used = buffer.len();
        from.consume(used);
    }
}

fn is_full(lines: &Lines, left: usize, range: &LineRange) -> bool {
    lines.counted.saturating_sub(range.first - 1) >= range.most || left == 0
}

fn end_line(lines: &mut Lines, left: &mut usize, range: &LineRange, line: &mut Vec<u8>, length: &mut u64) {
    let full = is_full(lines, *left, range);
    lines.counted += 1;
    let (bytes, length) = (std::mem::take(line), std::mem::take(length));
    if full || lines.counted < range.first {
        return;
    }
    let whole = bytes.len() as u64 == length;
    let bytes = if whole { bytes.strip_suffix(b"\r").unwrap_or(&bytes) } else { &bytes };
    // A byte order mark is not part of the text.
    let bytes = if lines.counted == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
    // The limit may cut a character.
    let not_utf8 = std::str::from_utf8(bytes).err().is_some_and(|error| error.error_len().is_some() || whole);
    lines.not_utf8 |= not_utf8;
    let text = String::from_utf8_lossy(bytes);
    let shown = match text.char_indices().nth(range.longest) {
        Some((end, _)) => format!("{}… [cut: the line has {length} bytes]", &text[..end]),
        None => text.into_owned(),
    };
    *left = left.saturating_sub(shown.len() + 1);
    lines.shown.push((lines.counted, shown));
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const ALL: LineRange = LineRange { first: 1, most: 100, bytes: 1_000, longest: 10, count_rest: true };

    fn read_lines(text: &[u8], range: LineRange) -> Lines {
        let in_pieces = read(BufReader::with_capacity(3, text), range, &|| false).unwrap();
        assert_eq!(in_pieces, read(text, range, &|| false).unwrap());
        in_pieces
    }

    fn numbered(text: &[u8], range: LineRange) -> Vec<String> {
        read_lines(text, range).shown.iter().map(|(number, line)| format!("{number} {line}")).collect()
    }

    #[test]
    fn lines_have_numbers_and_no_line_ends() {
        assert_eq!(numbered(b"a\r\n\nc", ALL), ["1 a", "2 ", "3 c"]);
        assert_eq!(numbered(b"", ALL), [""; 0]);
        assert_eq!(numbered(b"\n", ALL), ["1 "]);
        assert_eq!(numbered(b"\xef\xbb\xbfa\n\xef\xbb\xbfb", ALL), ["1 a", "2 \u{feff}b"]);
        assert_eq!(numbered(b"a\nb\nc\nd\n", LineRange { first: 2, most: 2, ..ALL }), ["2 b", "3 c"]);
        assert_eq!(numbered(b"a\nb\n", LineRange { first: 9, ..ALL }), [""; 0]);
    }

    #[test]
    fn further_lines_are_counted_on_request() {
        let some = read_lines(b"a\nb\nc\n", LineRange { most: 1, ..ALL });
        assert_eq!((some.counted, some.more), (3, true));
        let some = read_lines(b"a\nb\nc\n", LineRange { most: 1, count_rest: false, ..ALL });
        assert_eq!((some.counted, some.more), (1, true));
        let all = read_lines(b"a\nb\nc\n", LineRange { most: 3, ..ALL });
        assert_eq!((all.counted, all.more), (3, false));
        let bytes = read_lines(b"aaaa\nbbbb\ncccc\n", LineRange { bytes: 6, ..ALL });
        assert_eq!((bytes.shown.len(), bytes.counted, bytes.more), (2, 3, true));
    }

    #[test]
    fn long_lines_are_cut_and_invalid_bytes_replaced() {
        assert_eq!(numbered(b"0123456789abc\nx", ALL), ["1 0123456789… [cut: the line has 13 bytes]", "2 x"]);
        assert_eq!(numbered("ääääääääääää".as_bytes(), ALL), ["1 ääääääääää… [cut: the line has 24 bytes]"]);
        let foreign = read_lines(b"caf\xe9\n", ALL);
        assert_eq!((foreign.shown[0].1.as_str(), foreign.not_utf8), ("caf\u{fffd}", true));
        assert!(!read_lines("ä".repeat(1_000).as_bytes(), ALL).not_utf8);
    }
}
