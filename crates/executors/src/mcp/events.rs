//! Server-sent events, as far as MCP uses them: the data of each, whole.

/// Takes bytes as they come and gives the data of every event that is complete.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    seen_return: bool,
}

impl Events {
    /// The events that these bytes complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut complete = Vec::new();
        for &byte in bytes {
            // A line ends with either, or with both.
            let after_return = std::mem::replace(&mut self.seen_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => complete.extend(self.end_line()),
                other => self.line.push(other),
            }
        }
        complete
    }

    /// So many bytes are held.
    pub(super) fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then_some(data);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (line.as_slice(), &[][..]),
        };
        if field == b"data" {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_each_event_comes_whole_however_it_is_cut() {
        let stream = ": hello\r\nevent: message\r\ndata: {\"a\":\r\ndata:1}\r\n\r\nid: 7\ndata\n\ndata: x\r\rdata: open";
        for size in [1, 2, 3, 1000] {
            let mut events = Events::default();
            let found: Vec<_> = stream.as_bytes().chunks(size).flat_map(|bytes| events.take(bytes)).collect();
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"x".to_vec()], "{size}");
            assert_eq!(events.held(), "data: open".len());
        }
    }
}
