//! Entries that are done with and wait for the store: `memory/waiting.jsonl`, one a line.
//!
//! Every entry goes this way, so that none depends on whether a database can be opened just now. Whoever has the
//! store open takes them up; the same entry may stand here twice after somebody was stopped, and counts once.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::folder::{ActiveFolder, Locked, replace, unusable};
use crate::entry::Entry;
use crate::error::GhapError;

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
    /// Lines that are no entry.
    unreadable: Vec<u8>,
    /// All that was read.
    bytes: Vec<u8>,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(folder: &'a ActiveFolder) -> Self {
        Self { folder, path: folder.state.path().join("memory").join("waiting.jsonl") }
    }

    /// Adds an entry; it is on disk when this returns.
    pub(super) fn add(&self, _: &Locked, entry: &Entry) -> Result<(), GhapError> {
        let mut line = serde_json::to_vec(entry).map_err(io::Error::other).map_err(unusable(&self.path))?;
        line.push(b'\n');
        let added = || -> io::Result<()> {
            let mut file = self.folder.state.open_or_create(&self.path)?;
            let end = file.seek(SeekFrom::End(0))?;
            if end > 0 && last_byte(&mut file)? != b'\n' {
                // Somebody was stopped in the middle of a line; it stays a line of its own.
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
        let bytes = match std::fs::read(&self.path) {
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
            match serde_json::from_slice(line) {
                Ok(entry) => taken.entries.push(entry),
                Err(_) => taken.unreadable.extend_from_slice(line),
            }
        }
        Ok(taken)
    }

    /// What was read is in the store; what came since stays. Lines that nobody could read are kept beside, and told.
    pub fn remove(&self, taken: &Taken) -> Result<(), GhapError> {
        if taken.bytes.is_empty() {
            return Ok(());
        }
        let _locked = self.folder.lock()?;
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(unusable(&self.path)(cause)),
        };
        // Somebody else has stored it meanwhile; what stands there now came later and is not ours to remove.
        let Some(rest) = bytes.strip_prefix(taken.bytes.as_slice()) else { return Ok(()) };
        if !taken.unreadable.is_empty() {
            let beside = self.path.with_extension("corrupt.jsonl");
            let mut options = tenter_store::our_file();
            let file = options.append(true).create(true).open(&beside);
            file.and_then(|mut file| file.write_all(&taken.unreadable)).map_err(unusable(&beside))?;
            self.folder.notice(format!(
                "something that waited to be stored is no entry; it lies in `{}`",
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
