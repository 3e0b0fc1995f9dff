//! Calls that may be delivered more than once: `delivered`, one file per session.
//!
//! The hash of a call selects a byte of the file. The process that locks the byte owns the call: it uses the shared
//! decision on the call, or holds the lock until the hooks have decided. The system releases the lock of a process that
//! dies, so the next delivery runs the hooks itself. A decision that a crash has cut off is unreadable and does not count.
//!
//! There is no file per call: on an ext4 from which 20,000 files had just been removed, creating one took 0.6 ms
//! instead of 0.02, for 40 seconds. Only a decision too long for the [`board`] has a file. A decision is one line of JSON
//! that names all fields, so that one of another build is unreadable and the hooks run again.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{CallIdentity, DedupLock, DuplicateCheck, SharedDecision, StateError};

use super::board::{self, Call};
use super::folder::SessionFolder;
use super::unusable;
use crate::byte_lock;
use crate::clock::is_older;
use crate::place::{if_found, open_plain, our_file, read_plain};

/// Files of long decisions are removed at this age: no process reads them any more.
const STALE: Duration = Duration::from_mins(2);
/// The most files that one call removes.
const REMOVED_AT_ONCE: usize = 1000;
/// Pauses double up to this, so that a response waits little longer than the hooks take.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// Whether a call was delivered before. Waits for the process that handles it.
pub(super) fn check_duplicate(
    folder: &SessionFolder<'_>,
    call: &CallIdentity,
    until: Instant,
) -> Result<DuplicateCheck, StateError> {
    let path = folder.delivered();
    settle(folder, &path, Call::new(&call.0), until).map_err(unusable(&path))
}

fn settle(folder: &SessionFolder<'_>, path: &Path, call: Call, until: Instant) -> io::Result<DuplicateCheck> {
    let file = folder.open_or_make(path)?;
    let mut pause = Duration::from_millis(1);
    while !byte_lock::try_lock(&file, call.byte())? {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(DuplicateCheck::Unsettled);
        }
        thread::sleep(pause.min(left));
        pause = LONGEST_PAUSE.min(pause * 2);
    }
    let long = folder.long_decision(&call.name);
    if let Some(shared_decision) = published(&file, &call, &long)? {
        return Ok(DuplicateCheck::Again(shared_decision));
    }
    Ok(DuplicateCheck::First(Box::new(HeldCall { file, call, path: path.to_owned(), long })))
}

/// The shared decision on a locked call, if it is whole and fresh.
fn published(file: &File, call: &Call, long: &Path) -> io::Result<Option<SharedDecision>> {
    let Some(mut line) = board::find(file, call)? else { return Ok(None) };
    if line == LONG {
        line = if_found(read_plain(long))?.unwrap_or_default();
    }
    Ok(line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice(line).ok()))
}

/// The line on the board for a decision with a file of its own.
const LONG: &[u8] = b"long\n";

/// A locked call without a decision.
struct HeldCall {
    file: File,
    call: Call,
    /// For messages.
    path: PathBuf,
    /// The file of a long decision.
    long: PathBuf,
}

impl DedupLock for HeldCall {
    fn publish(self: Box<Self>, shared_decision: &SharedDecision) -> Result<(), StateError> {
        let written = serde_json::to_vec(shared_decision).map_err(io::Error::from);
        let mut line = written.map_err(unusable(&self.path))?;
        line.push(b'\n');
        let line = if line.len() <= board::ROOM {
            &line
        } else {
            keep(&self.long, &line).map_err(unusable(&self.long))?;
            LONG
        };
        board::put(&self.file, &self.call, line).map_err(unusable(&self.path))
    }
}

/// Writes a long decision, and removes it if that fails, as well as stale ones.
fn keep(path: &Path, line: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let write = || open_plain(our_file().write(true).create(true).truncate(true), path)?.write_all(line);
    let written = write().or_else(|cause| match cause.kind() {
        ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).and_then(|()| write())
        }
        _ => Err(cause),
    });
    drop(remove_stale(folder));
    written.inspect_err(|_| drop(fs::remove_file(path)))
}

fn remove_stale(folder: &Path) -> io::Result<()> {
    let files = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    files.filter(|path| is_older(path, STALE)).take(REMOVED_AT_ONCE).try_for_each(fs::remove_file)
}
