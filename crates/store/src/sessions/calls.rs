//! Calls that may be delivered more than once: `delivered`, one file per session.
//!
//! Whoever locks the byte of a call, which its hash names, has the call: if there is a shared decision on it, that is
//! the answer; if there is none, the hooks are still to be asked, and the lock is held until that is done. The
//! system takes the lock from a process that dies, so the next delivery asks the hooks itself. A shared decision that a
//! crash has cut off cannot be read, and is none.
//!
//! There is no file per call: on an ext4 from which 20,000 files had just been removed, making one took 0.6 ms
//! instead of 0.02, still 40 seconds later. Only a shared decision too long for the [`board`] has one.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{CallIdentity, DedupLock, DuplicateCheck, SharedDecision, StateError};

use super::board::{self, Call};
use super::folder::SessionFolder;
use super::session_files::unusable;
use super::shared_decision;
use crate::byte_lock;
use crate::place::{open_plain, our_file, read_plain};

/// How old the file of a long shared decision must be to be removed: older than any that is still read.
const FORGOTTEN: Duration = Duration::from_mins(2);
/// How many are removed at a time, so that nobody pays for all of a long session.
const REMOVED_AT_ONCE: usize = 1000;
/// Pauses double up to this, so that an answer is not kept waiting much longer than the hooks take.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// Says whether a call was delivered before; waits for whoever is at it.
pub(super) fn check_duplicate(
    folder: &SessionFolder<'_>,
    call: &CallIdentity,
    until: Instant,
) -> Result<DuplicateCheck, StateError> {
    let path = folder.delivered();
    settle(folder, &path, Call::of(&call.0), until).map_err(unusable(&path))
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
    let Some(line) = board::find(file, call)? else { return Ok(None) };
    if line != LONG {
        return Ok(shared_decision::read(&line));
    }
    match read_plain(long) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        line => Ok(shared_decision::read(&line?)),
    }
}

/// What stands on the board for a shared decision that has a file of its own.
const LONG: &[u8] = b"long\n";

/// A locked call on which nobody has ruled.
struct HeldCall {
    file: File,
    call: Call,
    /// For messages.
    path: PathBuf,
    /// Where its shared decision goes if it is long.
    long: PathBuf,
}

impl DedupLock for HeldCall {
    fn publish(self: Box<Self>, shared_decision: &SharedDecision) -> Result<(), StateError> {
        let line = shared_decision::write(shared_decision).map_err(unusable(&self.path))?;
        let line = if line.len() <= board::ROOM {
            &line
        } else {
            keep(&self.long, &line).map_err(unusable(&self.long))?;
            LONG
        };
        board::put(&self.file, &self.call, line).map_err(unusable(&self.path))
    }
}

/// Writes a long shared decision. One that could not be written whole is taken back, and so are those that nobody will
/// read again; what cannot be removed now can be next time.
fn keep(path: &Path, line: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let write = || open_plain(our_file().write(true).create(true).truncate(true), path)?.write_all(line);
    let written = write().or_else(|cause| match cause.kind() {
        ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).and_then(|()| write())
        }
        _ => Err(cause),
    });
    drop(sweep(folder));
    written.inspect_err(|_| drop(fs::remove_file(path)))
}

fn sweep(folder: &Path) -> io::Result<()> {
    let is_old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > FORGOTTEN))
    };
    for entry in fs::read_dir(folder)?.filter_map(Result::ok).filter(is_old).take(REMOVED_AT_ONCE) {
        fs::remove_file(entry.path())?;
    }
    Ok(())
}
