//! Reads a trail for people, without checks; see [`super::verify`] for those.

use std::collections::VecDeque;

use serde_json::Value;
use tenter_contract::ports::TrailError;
use tenter_protocol::v1::record::RecordV1;

use super::files::{AuditFiles, unusable};
pub use super::filter::Filter;
use super::lines::Line;
use super::parts::{Parts, TrailItem};
use super::snapshot::Snapshot;
use crate::StateFolder;

/// A line of the trail.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The number of the line, from 1, over all files of the trail.
    pub line: u64,
    /// Its content.
    pub content: Content,
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A record.
    Record(Box<RecordV1>),
    /// JSON of another version or shape.
    Foreign(Value),
    /// It is not JSON.
    Unreadable {
        /// The line, as far as it is text.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Reads the lines that match a filter, in the order in which they were written.
pub fn read(state: &StateFolder, filter: Filter) -> Result<Entries, TrailError> {
    let files = AuditFiles::new(state);
    let parts = Snapshot::load(&files)?.trail;
    Ok(Entries { parts: Some(parts), line: 0, filter, kept: None })
}

/// Reads the record of that number, if there is one.
pub fn read_one(state: &StateFolder, seq: u64) -> Result<Option<RecordV1>, TrailError> {
    for entry in read(state, Filter::default())? {
        match entry?.content {
            Content::Record(record) if record.seq == seq => return Ok(Some(*record)),
            Content::Record(_) | Content::Foreign(_) | Content::Unreadable { .. } => {}
        }
    }
    Ok(None)
}

/// The entries of a trail. Ends after the first error.
pub struct Entries {
    parts: Option<Parts>,
    line: u64,
    filter: Filter,
    kept: Option<VecDeque<Entry>>,
}

impl Iterator for Entries {
    type Item = Result<Entry, TrailError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(last) = self.filter.last else { return self.next_match() };
        if self.kept.is_none() {
            match self.keep(last) {
                Ok(kept) => self.kept = Some(kept),
                Err(cause) => return Some(Err(cause)),
            }
        }
        self.kept.as_mut()?.pop_front().map(Ok)
    }
}

impl Entries {
    /// The next entry that matches the filter.
    fn next_match(&mut self) -> Option<Result<Entry, TrailError>> {
        loop {
            let parts = self.parts.as_mut()?;
            let content = match parts.next() {
                Ok(None) => return None,
                Ok(Some(TrailItem::FileStart { .. })) => continue,
                Ok(Some(TrailItem::Line(line))) => Content::parse(line),
                Err(cause) => {
                    let error = unusable(&parts.path)(cause);
                    self.parts = None;
                    return Some(Err(error));
                }
            };
            self.line += 1;
            if self.filter.matches(&content) {
                return Some(Ok(Entry { line: self.line, content }));
            }
        }
    }

    fn keep(&mut self, last: usize) -> Result<VecDeque<Entry>, TrailError> {
        let mut kept = VecDeque::new();
        while let Some(entry) = self.next_match() {
            kept.push_back(entry?);
            if kept.len() > last {
                kept.pop_front();
            }
        }
        Ok(kept)
    }
}

impl Content {
    pub(crate) fn parse(line: Line<'_>) -> Self {
        let unreadable = |bytes: &[u8], problem: String| Self::Unreadable {
            text: String::from_utf8_lossy(bytes).into_owned(),
            problem,
        };
        match line {
            Line::Torn(bytes) => unreadable(bytes, "the line is torn: it has no end".to_owned()),
            Line::Whole(bytes) => match serde_json::from_slice::<RecordV1>(bytes) {
                Ok(record) if record.v == 1 => Self::Record(Box::new(record)),
                Ok(_) | Err(_) => match serde_json::from_slice(bytes) {
                    Ok(value) => Self::Foreign(value),
                    Err(problem) => unreadable(bytes, problem.to_string()),
                },
            },
        }
    }
}
