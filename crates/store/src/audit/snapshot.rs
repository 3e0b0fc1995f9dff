//! A snapshot of the trail for readers.

use tenter_contract::ports::TrailError;

use super::files::{AuditFiles, unusable};
use super::head::{self, Head};
use super::lock;
use super::parts::{Parts, bounded};
use crate::place::{if_found, open_to_read};

/// The head and the trail at one moment. The lock is held only while both are opened: records up to the present end never
/// change, so a reader needs no lock for them.
pub(crate) struct Snapshot {
    /// None if the file does not exist.
    pub(crate) head: Option<Head>,
    /// All files, up to the end of the trail at that moment.
    pub(crate) trail: Parts,
}

impl Snapshot {
    /// Opens a trail. Creates no files.
    pub(crate) fn load(files: &AuditFiles) -> Result<Self, TrailError> {
        let lock_file = if_found(open_to_read(&files.head)).map_err(unusable(&files.head))?;
        let head = match &lock_file {
            None => None,
            Some(file) => {
                lock::shared(file, &files.head)?;
                Some(head::read(file).map_err(unusable(&files.head))?.0)
            }
        };
        let last = if_found(open_to_read(&files.trail)).and_then(|opened| opened.map(bounded).transpose());
        let last = last.map_err(unusable(&files.trail))?.map(|source| (files.trail.clone(), source));
        Ok(Self { head, trail: Parts::new(files.all_full()?, last) })
    }
}
