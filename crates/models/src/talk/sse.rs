//! Server-sent events out of bytes, however these are cut into pieces.

/// One event may be so long. A reply of a model is far from it.
const EVENT_LIMIT: usize = 8 * 1024 * 1024;

/// Reads events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// A line that has no end yet.
    line: Vec<u8>,
    /// The data of the event that has no end yet.
    data: Option<Vec<u8>>,
    /// Whether the last byte was a carriage return, which ends a line alone or together with a line feed.
    after_return: bool,
    /// Whether a line was read: only before the first there may be a byte order mark.
    begun: bool,
}

/// An event is longer than anything that could be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Takes the next bytes, and hands on the data of every event that is complete with them.
    pub(super) fn take(&mut self, bytes: &[u8], found: &mut Vec<String>) -> Result<(), TooLong> {
        for &byte in bytes {
            let ends_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if ends_return => {}
                b'\n' | b'\r' => self.end_line(found),
                byte => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, Vec::len) > EVENT_LIMIT {
                return Err(TooLong);
            }
        }
        Ok(())
    }

    /// The event that has no end, when nothing more comes: some servers leave out the last empty line.
    pub(super) fn end(mut self) -> Option<String> {
        let mut found = Vec::new();
        self.end_line(&mut found);
        self.end_line(&mut found);
        found.pop()
    }

    fn end_line(&mut self, found: &mut Vec<String>) {
        let line = std::mem::take(&mut self.line);
        let mark: &[u8] = if self.begun { b"" } else { b"\xef\xbb\xbf" };
        let line = line.strip_prefix(mark).unwrap_or(&line);
        self.begun = true;
        if line.is_empty() {
            found.extend(self.data.take().map(|data| String::from_utf8_lossy(&data).into_owned()));
            return;
        }
        // Names of events are not needed: all four APIs have them in the data too.
        let Some(value) = line.strip_prefix(b"data") else { return };
        let value = match value {
            [] => value,
            [b':', b' ', value @ ..] | [b':', value @ ..] => value,
            _ => return,
        };
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            none => *none = Some(value.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut events = Events::default();
        let mut found = Vec::new();
        for piece in pieces {
            events.take(piece, &mut found).unwrap();
        }
        found.extend(events.end());
        found
    }

    #[test]
    fn events_are_read_whatever_ends_their_lines() {
        for (stream, expected) in [
            ("event: a\ndata: 1\n\ndata: 2\n\n", vec!["1", "2"]),
            ("data: 1\r\n\r\ndata: 2\r\n\r\n", vec!["1", "2"]),
            ("data: 1\r\rdata: 2\r\r", vec!["1", "2"]),
            ("data:1\ndata: 2\ndata\n\n", vec!["1\n2\n"]),
            ("\u{feff}data: x\n\n: ping\n\nid: 7\nretry: 1\n\n", vec!["x"]),
            ("data: {}\n\ndata: [DONE]", vec!["{}", "[DONE]"]),
            ("database: x\n\n<html>\n\n", vec![]),
            ("\n\n\n", vec![]),
        ] {
            assert_eq!(read([stream.as_bytes()]), expected, "{stream:?}");
        }
    }

    #[test]
    fn an_event_without_end_is_left() {
        let mut events = Events::default();
        let mut found = Vec::new();
        let piece = vec![b'x'; 1 << 20];
        let left = (0..32).find_map(|_| events.take(&piece, &mut found).err());
        assert_eq!(left, Some(TooLong));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_a_stream_is_cut(
            stream in "(data: ?|event: |: |[a-z{}\"é ]{0,6}|\r|\n|\r\n){0,40}",
            size in 1usize..9,
        ) {
            prop_assert_eq!(read(stream.as_bytes().chunks(size)), read([stream.as_bytes()]));
        }
    }
}
