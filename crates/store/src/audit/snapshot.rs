//! A reader's view: the trail at one moment.

use std::fs::File;
use std::io;

use tenter_contract::ports::TrailError;

use super::files::{AuditFiles, unusable};
use super::head::{self, Head};
use super::lock;
use super::parts::{Parts, as_it_is};
use crate::place::open_to_read;

/// The head and the trail of one moment. The lock is held only while the two are looked at: what has been
/// written up to there is never changed again, so a reader needs no lock for it and stops no writer.
pub(crate) struct Snapshot {
    /// None if there is no such file.
    pub(crate) head: Option<Head>,
    /// All files that are there, up to where the trail ended at that moment.
    pub(crate) trail: Parts,
}

/// Looks at a trail. What does not exist is not made.
pub(crate) fn take(files: &AuditFiles) -> Result<Snapshot, TrailError> {
    let lock_file = if_there(open_to_read(&files.head)).map_err(unusable(&files.head))?;
    let head = match &lock_file {
        None => None,
        Some(file) => {
            lock::shared(file, &files.head)?;
            Some(head::read(file).map_err(unusable(&files.head))?)
        }
    };
    let last = if_there(open_to_read(&files.trail)).and_then(|opened| opened.map(as_it_is).transpose());
    let last = last.map_err(unusable(&files.trail))?.map(|source| (files.trail.clone(), source));
    Ok(Snapshot { head, trail: Parts::new(files.all_full()?, last) })
}

fn if_there(opened: io::Result<File>) -> io::Result<Option<File>> {
    match opened {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}
