//! What waits for the store: `memory/waiting.jsonl`, one thing a line.
//!
//! Every entry that is done with goes this way, so that none depends on whether a database can be opened just now. Other
//! things ([`OTHERS`]) wait here if it cannot. A process that has the store open takes them up; the same thing may be here
//! twice after a user was stopped, and counts once.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde_json::Value;

use super::folder::{ActiveFolder, Locked, replace, unusable};
use crate::entry::Entry;
use crate::error::GhapError;

/// Keys by which things that are no entries are known; what is under them is not ours to know.
const OTHERS: [&str; 2] = ["memory", "journal"];

/// The file, and how to take from it.
#[derive(Debug)]
pub struct Waiting<'a> {
    folder: &'a ActiveFolder,
    path: PathBuf,
}

/// What was read, and until where.
#[derive(Debug, Default)]
pub struct Taken {
    /// The entries.
    pub entries: Vec<Entry>,
    /// What is no entry: objects with a key that says what they are.
    pub others: Vec<Value>,
    /// Lines that are neither.
    unreadable: Vec<u8>,
    /// All that was read.
    bytes: Vec<u8>,
}

impl Taken {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.others.is_empty()
    }

    /// How many things wait.
    pub fn count(&self) -> usize {
        self.entries.len() + self.others.len()
    }

    /// This one cannot be taken up by anyone; it is quarantined.
    pub fn refuse(&mut self, other: &Value) {
        self.unreadable.extend_from_slice(other.to_string().as_bytes());
        self.unreadable.push(b'\n');
    }
}

impl<'a> Waiting<'a> {
    pub(super) fn new(folder: &'a ActiveFolder) -> Self {
        Self { folder, path: folder.state.path().join("memory").join("waiting.jsonl") }
    }

    /// Adds an entry; it is on disk when this returns.
    pub(super) fn add(&self, locked: &Locked, entry: &Entry) -> Result<(), GhapError> {
        let line = serde_json::to_vec(entry).map_err(io::Error::other).map_err(unusable(&self.path))?;
        self.append(locked, line)
    }

    /// Adds something that is no entry; it is on disk when this returns.
    pub fn put(&self, other: &Value) -> Result<(), GhapError> {
        let locked = self.folder.lock()?;
        self.append(&locked, other.to_string().into_bytes())
    }

    fn append(&self, _: &Locked, mut line: Vec<u8>) -> Result<(), GhapError> {
        line.push(b'\n');
        let added = || -> io::Result<()> {
            let mut file = self.folder.state.open_or_create(&self.path)?;
            let end = file.seek(SeekFrom::End(0))?;
            if end > 0 && last_byte(&mut file)? != b'\n' {
                // A process was stopped in the middle of a line; it stays a line of its own.
                line.insert(0, b'\n');
            }
            file.write_all(&line)?;
            file.sync_all()
        };
        let mut added = added;
        added().map_err(unusable(&self.path))
    }

    /// What waits.
    pub fn read(&self) -> Result<Taken, GhapError> {
        let bytes = match tenter_store::read_plain(&self.path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Taken::default()),
            Err(cause) => return Err(unusable(&self.path)(cause)),
        };
        // A line without an end is still being written, or its writer was stopped and the entry is still in its file.
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

    /// What was read is in the store; what came since stays. Lines that no one could read are quarantined, and shown.
    pub fn remove(&self, taken: &Taken) -> Result<(), GhapError> {
        if taken.bytes.is_empty() {
            return Ok(());
        }
        let _locked = self.folder.lock()?;
        let bytes = match tenter_store::read_plain(&self.path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(unusable(&self.path)(cause)),
        };
        // Another session has stored it meanwhile; what is there now came later and is not ours to remove.
        let Some(rest) = bytes.strip_prefix(taken.bytes.as_slice()) else { return Ok(()) };
        if !taken.unreadable.is_empty() {
            let beside = self.path.with_extension("corrupt.jsonl");
            let mut options = tenter_store::our_file();
            let file = tenter_store::open_plain(options.append(true).create(true), &beside);
            file.and_then(|mut file| file.write_all(&taken.unreadable)).map_err(unusable(&beside))?;
            self.folder.notice(format!(
                "something that waited to be stored cannot be read; it lies in `{}`",
                beside.display()
            ));
        }
        match rest {
            [] => std::fs::remove_file(&self.path).map_err(unusable(&self.path)),
            rest => replace(&self.path, &self.path.with_extension("new"), rest).map_err(unusable(&self.path)),
        }
    }
}

fn last_byte(file: &mut std::fs::File) -> io::Result<u8> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last[0])
}
