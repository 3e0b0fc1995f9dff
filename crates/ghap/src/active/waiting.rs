//! The queue of the store: `memory/waiting.jsonl`, one item per line.
//!
//! Every resolved entry passes through this file, so that resolving needs no database. Memories and journal pages
//! ([`OTHERS`]) wait here while the database cannot be opened. A process with an open store takes the items; an item that
//! is here twice counts once.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde_json::Value;

use super::folder::{ActiveFolder, Locked, replace, unusable};
use crate::entry::Entry;
use crate::error::GhapError;

/// Keys of items that are no entries. `tenter-memory` reads their values.
const OTHERS: [&str; 2] = ["memory", "journal"];

/// The queue file.
#[derive(Debug)]
pub struct Waiting<'a> {
    folder: &'a ActiveFolder,
    path: PathBuf,
}

/// The items that were read.
#[derive(Debug, Default)]
pub struct Taken {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Objects with a key of `OTHERS`.
    pub others: Vec<Value>,
    /// Other lines.
    unreadable: Vec<u8>,
    /// All lines.
    bytes: Vec<u8>,
}

impl Taken {
    /// Whether no item waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.others.is_empty()
    }

    /// The number of items.
    pub fn count(&self) -> usize {
        self.entries.len() + self.others.len()
    }

    /// Marks an item as unreadable, to quarantine it.
    pub fn refuse(&mut self, other: &Value) {
        self.unreadable.extend_from_slice(other.to_string().as_bytes());
        self.unreadable.push(b'\n');
    }
}

impl<'a> Waiting<'a> {
    pub(super) fn new(folder: &'a ActiveFolder) -> Self {
        Self { folder, path: folder.state.path().join("memory").join("waiting.jsonl") }
    }

    /// Adds an entry durably.
    pub(super) fn add(&self, locked: &Locked, entry: &Entry) -> Result<(), GhapError> {
        let line = serde_json::to_vec(entry).map_err(io::Error::other).map_err(unusable(&self.path))?;
        self.append(locked, line)
    }

    /// Adds another item durably.
    pub fn put(&self, other: &Value) -> Result<(), GhapError> {
        let locked = self.folder.lock()?;
        self.append(&locked, other.to_string().into_bytes())
    }

    fn append(&self, _: &Locked, mut line: Vec<u8>) -> Result<(), GhapError> {
        line.push(b'\n');
        let mut add = || -> io::Result<()> {
            let mut file = self.folder.state.open_or_create(&self.path)?;
            let end = file.seek(SeekFrom::End(0))?;
            if end > 0 && last_byte(&mut file)? != b'\n' {
                // A process stopped in the middle of a line, which stays a line of its own.
                line.insert(0, b'\n');
            }
            file.write_all(&line)?;
            file.sync_all()
        };
        add().map_err(unusable(&self.path))
    }

    /// Reads all items.
    pub fn read(&self) -> Result<Taken, GhapError> {
        let bytes = self.bytes()?;
        // A line without a newline is still being written, or its entry is still in its own file.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut taken = Taken { bytes: bytes[..whole].to_vec(), ..Taken::default() };
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match (serde_json::from_slice(line), serde_json::from_slice::<Value>(line)) {
                (Ok(entry), _) => taken.entries.push(entry),
                (_, Ok(other)) if OTHERS.iter().any(|key| other.get(key).is_some()) => {
                    taken.others.push(other);
                }
                _ => taken.unreadable.extend_from_slice(line),
            }
        }
        Ok(taken)
    }

    /// Removes items that are in the store now, and keeps later ones. Unreadable lines are quarantined, with a notice.
    pub fn remove(&self, taken: &Taken) -> Result<(), GhapError> {
        if taken.bytes.is_empty() {
            return Ok(());
        }
        let _locked = self.folder.lock()?;
        let bytes = self.bytes()?;
        // Another session stored the items meanwhile, and the new ones are not ours to remove.
        let Some(rest) = bytes.strip_prefix(taken.bytes.as_slice()) else { return Ok(()) };
        if !taken.unreadable.is_empty() {
            let quarantine = self.path.with_extension("corrupt.jsonl");
            let mut options = tenter_store::our_file();
            let file = tenter_store::open_plain(options.append(true).create(true), &quarantine);
            file.and_then(|mut file| file.write_all(&taken.unreadable)).map_err(unusable(&quarantine))?;
            self.folder.notice(format!(
                "an item that waited to be stored cannot be read; it was moved to `{}`",
                quarantine.display()
            ));
        }
        match rest {
            [] => std::fs::remove_file(&self.path).map_err(unusable(&self.path)),
            rest => replace(&self.path, &self.path.with_extension("new"), rest).map_err(unusable(&self.path)),
        }
    }

    fn bytes(&self) -> Result<Vec<u8>, GhapError> {
        match tenter_store::read_plain(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            bytes => bytes.map_err(unusable(&self.path)),
        }
    }
}

fn last_byte(file: &mut std::fs::File) -> io::Result<u8> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last[0])
}
