//! Server-sent events.

/// Reads the data of server-sent events from bytes that arrive in arbitrary pieces.
#[derive(Debug)]
pub struct SseReader {
    /// Most bytes of one event.
    limit: usize,
    /// The line without its end yet.
    line: Vec<u8>,
    /// The data of the event without its end yet.
    data: Option<Vec<u8>>,
    /// The last byte was a carriage return, which ends a line alone or together with a line feed.
    after_return: bool,
    /// A line was read: a byte order mark is allowed before the first line only.
    started: bool,
}

/// An event is longer than the limit of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTooLong;

impl SseReader {
    /// A reader of events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), data: None, after_return: false, started: false }
    }

    /// Reads the next bytes and appends the data of every completed event. Event names are skipped: every protocol we
    /// read repeats them in the data.
    pub fn read(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), EventTooLong> {
        for &byte in bytes {
            let ends_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if ends_return => {}
                b'\n' | b'\r' => self.end_line(events),
                byte => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, Vec::len) > self.limit {
                return Err(EventTooLong);
            }
        }
        Ok(())
    }

    /// The unfinished event at the end of a stream: some servers omit the last empty line.
    pub fn finish(mut self) -> Option<String> {
        let mut events = Vec::new();
        self.end_line(&mut events);
        self.end_line(&mut events);
        events.pop()
    }

    fn end_line(&mut self, events: &mut Vec<String>) {
        let line = std::mem::take(&mut self.line);
        let mark: &[u8] = if self.started { b"" } else { b"\xef\xbb\xbf" };
        let line = line.strip_prefix(mark).unwrap_or(&line);
        self.started = true;
        if line.is_empty() {
            events.extend(self.data.take().map(|data| String::from_utf8_lossy(&data).into_owned()));
            return;
        }
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
        let mut reader = SseReader::new(1_000);
        let mut events = Vec::new();
        for piece in pieces {
            reader.read(piece, &mut events).unwrap();
        }
        events.extend(reader.finish());
        events
    }

    #[test]
    fn every_line_ending_is_read() {
        for (stream, expected) in [
            ("event: a\ndata: 1\n\ndata: 2\n\n", vec!["1", "2"]),
            ("data: 1\r\n\r\ndata: 2\r\n\r\n", vec!["1", "2"]),
            ("data: 1\r\rdata: 2\r\r", vec!["1", "2"]),
            ("data:1\ndata: 2\ndata\n\n", vec!["1\n2\n"]),
            ("\u{feff}data: x\n\n: ping\n\nid: 7\nretry: 1\n\n", vec!["x"]),
            (": hello\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n", vec!["{\"a\":\n1}"]),
            ("data: {}\n\ndata: [DONE]", vec!["{}", "[DONE]"]),
            ("database: x\n\n<html>\n\n", vec![]),
            ("\n\n\n", vec![]),
        ] {
            assert_eq!(read([stream.as_bytes()]), expected, "{stream:?}");
        }
    }

    #[test]
    fn endless_event_is_an_error() {
        let mut reader = SseReader::new(100);
        let results: Vec<_> = (0..11).map(|_| reader.read(&[b'x'; 10], &mut Vec::new())).collect();
        assert_eq!((results[9], results[10]), (Ok(()), Err(EventTooLong)));
    }

    proptest! {
        #[test]
        fn piece_boundaries_do_not_matter(
            stream in "(data: ?|event: |: |[a-z{}\"é ]{0,6}|\r|\n|\r\n){0,40}",
            size in 1usize..9,
        ) {
            prop_assert_eq!(read(stream.as_bytes().chunks(size)), read([stream.as_bytes()]));
        }
    }
}
