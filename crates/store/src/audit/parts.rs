//! Reads the files of a trail as one, line by line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::PathBuf;

use super::files::{Full, name_of};
use super::lines::Line;
use crate::place::open_to_read;

/// A file of a trail, with its length at the time of the snapshot.
type Source = BufReader<Take<File>>;

/// Reads the files in order. A full file never changes, so it is opened only when it is read.
pub(crate) struct Parts {
    full: VecDeque<Full>,
    last: Option<(PathBuf, Source)>,
    reading: Option<Source>,
    buffer: Vec<u8>,
    /// The current file.
    pub(crate) path: PathBuf,
    /// The number of its last line that was read, from 1.
    pub(crate) line: u64,
}

/// The next item of a trail.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TrailItem<'a> {
    /// A file begins. The name of a full one states its first record.
    FileStart { first: Option<u64> },
    /// A line of it.
    Line(Line<'a>),
}

impl Parts {
    /// The full files, and the current one if it exists.
    pub(crate) fn new(full: Vec<Full>, last: Option<(PathBuf, Source)>) -> Self {
        let buffer = Vec::new();
        Self { full: full.into(), last, reading: None, buffer, path: PathBuf::new(), line: 0 }
    }

    /// The name of the current file.
    pub(crate) fn file(&self) -> String {
        name_of(&self.path)
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<TrailItem<'_>>> {
        self.buffer.clear();
        let read = match &mut self.reading {
            Some(source) => source.read_until(b'\n', &mut self.buffer)?,
            None => 0,
        };
        if read == 0 {
            return self.next_file();
        }
        self.line += 1;
        Ok(Some(TrailItem::Line(Line::parse(&self.buffer))))
    }

    fn next_file(&mut self) -> io::Result<Option<TrailItem<'_>>> {
        let (first, path, source) = if let Some(Full { first, path }) = self.full.pop_front() {
            let source = bounded(open_to_read(&path)?)?;
            (Some(first), path, source)
        } else if let Some((path, source)) = self.last.take() {
            (None, path, source)
        } else {
            self.reading = None;
            return Ok(None);
        };
        (self.path, self.line, self.reading) = (path, 0, Some(source));
        Ok(Some(TrailItem::FileStart { first }))
    }
}

/// A file up to its present end.
pub(crate) fn bounded(file: File) -> io::Result<Source> {
    let length = file.metadata()?.len();
    Ok(BufReader::with_capacity(64 * 1024, file.take(length)))
}
