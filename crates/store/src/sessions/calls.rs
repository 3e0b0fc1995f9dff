//! Calls that may be delivered more than once: `calls/`, one file per call, named by its hash.
//!
//! Whoever locks the file of a call has it: if there is a ruling in it, that is the answer; if there is none,
//! the hooks are still to be asked, and the lock is held until that is done. The system takes the lock from a
//! process that dies, so the next delivery asks the hooks itself. A ruling that a crash has cut off cannot be
//! read, and is none.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tenter_contract::ports::{Delivery, Docket, Ruling, ShelfError};

use super::folder::SessionFolder;
use super::ruling;
use super::shelf::unusable;
use crate::place::{check_file, our_file};

/// How old a ruling may be. Routes of one call are taken at the same time or, by an agent that runs its hooks
/// one by one, as far apart as the hooks between them take. A call that comes later is a new one, although
/// agents give every call an id of its own: what a guard has looked at may have changed.
const FRESH: Duration = Duration::from_mins(1);
/// How old a file must be to be removed.
const FORGOTTEN: Duration = Duration::from_mins(2);
/// How many are removed at a time, so that nobody pays for all of a long session.
const REMOVED_AT_ONCE: usize = 1000;
/// The file that tells when that was done last: looking at every call at every call would take longer than all
/// the rest.
const SWEPT: &str = "swept";
/// Pauses double up to this, so that an answer is not kept waiting much longer than the hooks take.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// Says whether a call was delivered before; waits for whoever is at it.
pub(super) fn deliver(
    folder: &SessionFolder<'_>,
    call: &str,
    until: Instant,
) -> Result<Delivery, ShelfError> {
    let path = folder.call(call);
    settle(folder, &path, until).map_err(unusable(&path))
}

fn settle(folder: &SessionFolder<'_>, path: &Path, until: Instant) -> io::Result<Delivery> {
    let (mut file, is_new) = open(folder, path)?;
    check_file(&file)?;
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(cause)) if cause.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Delivery::Unsettled);
        }
        thread::sleep(pause.min(left));
        pause = LONGEST_PAUSE.min(pause * 2);
    }
    if let Some(ruling) = published(&mut file)? {
        return Ok(Delivery::Again(ruling));
    }
    if is_new {
        // What cannot be removed now can be next time.
        drop(sweep(&folder.calls()));
    }
    Ok(Delivery::First(Box::new(CallFile { file, path: path.to_owned() })))
}

/// Opens the file of a call, and says whether it was not there before.
fn open(folder: &SessionFolder<'_>, path: &Path) -> io::Result<(File, bool)> {
    let mut options = our_file();
    options.read(true).write(true);
    let make = || our_file().read(true).write(true).create_new(true).open(path);
    // Most calls are delivered once, into a folder that is there.
    let made = make().or_else(|cause| match (cause.kind(), path.parent()) {
        (ErrorKind::NotFound, Some(calls)) => folder.make(calls).and_then(|()| make()),
        _ => Err(cause),
    });
    match made {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => Ok((options.open(path)?, false)),
        made => Ok((made?, true)),
    }
}

/// The ruling in a locked file, if it is whole and fresh. One from the future is not: the clock was put back,
/// and nobody knows how old it is.
fn published(file: &mut File) -> io::Result<Option<Ruling>> {
    let metadata = file.metadata()?;
    let fresh = metadata.modified()?.elapsed().is_ok_and(|age| age <= FRESH);
    if metadata.len() == 0 || !fresh {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(ruling::read(&bytes))
}

/// The locked file of a call on which nobody has ruled.
struct CallFile {
    file: File,
    path: PathBuf,
}

impl Docket for CallFile {
    /// A ruling that could not be written is taken back, so that nobody takes a part of it for the whole.
    fn publish(mut self: Box<Self>, ruling: &Ruling) -> Result<(), ShelfError> {
        let written = ruling::write(ruling).and_then(|bytes| {
            // Emptying what is empty is not free: some file systems look for room on the disk at once, and
            // not when they come to it, for a file that was emptied and written anew.
            if self.file.metadata()?.len() > 0 {
                self.file.set_len(0)?;
                self.file.rewind()?;
            }
            self.file.write_all(&bytes)
        });
        written.inspect_err(|_| drop(self.file.set_len(0))).map_err(unusable(&self.path))
    }
}

/// Removes calls that nobody will deliver again, now and then. One that is locked is still at work, however old
/// it is.
fn sweep(calls: &Path) -> io::Result<()> {
    let swept = calls.join(SWEPT);
    if swept.metadata().is_ok_and(|metadata| !is_old(&metadata)) {
        return Ok(());
    }
    our_file().write(true).create(true).truncate(false).open(swept)?.set_modified(SystemTime::now())?;
    let is_old = |entry: &fs::DirEntry| entry.metadata().is_ok_and(|metadata| is_old(&metadata));
    for entry in fs::read_dir(calls)?.filter_map(Result::ok).filter(is_old).take(REMOVED_AT_ONCE) {
        if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn is_old(metadata: &fs::Metadata) -> bool {
    metadata.modified().is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > FORGOTTEN))
}
