//! Reads the lines of a trail one at a time, so that its length does not matter.

use std::io::{self, BufRead};

/// Reads lines into one buffer.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
}

/// The bytes up to the next newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A complete line, without its newline.
    Whole(&'a [u8]),
    /// The last bytes of a trail whose writer was stopped, without a newline.
    Torn(&'a [u8]),
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new() }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        if self.source.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        Ok(Some(Line::parse(&self.buffer)))
    }
}

impl<'a> Line<'a> {
    /// Parses the bytes up to a newline or the end.
    pub(crate) fn parse(read: &'a [u8]) -> Self {
        read.strip_suffix(b"\n").map_or(Self::Torn(read), Self::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_without_newline_is_torn() {
        let mut lines = Lines::new(&b"one\n\ntwo"[..]);
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"one")));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"")));
        assert_eq!(lines.next().unwrap(), Some(Line::Torn(b"two")));
        assert_eq!(lines.next().unwrap(), None);
    }
}
