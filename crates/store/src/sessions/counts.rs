//! Counts of a session: `counts/`, one file each, whose length is the number.
//!
//! Counting appends one byte. The system places appended bytes one behind the other, however many processes
//! append at once, and leaves each of them at the end of its own byte: that is its number.

use std::fs;
use std::io::{self, ErrorKind, Seek, Write};

use super::folder::SessionFolder;
use crate::place::{check_file, our_file};

/// Counts once more and says which number this is.
pub(super) fn add(folder: &SessionFolder<'_>, what: &str) -> io::Result<u64> {
    let path = folder.counter(what);
    let mut options = our_file();
    options.append(true).create(true);
    let mut file = match options.open(&path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            folder.make(path.parent().unwrap_or(&path))?;
            options.open(&path)?
        }
        opened => opened?,
    };
    check_file(&file)?;
    file.write_all(b"+")?;
    file.stream_position()
}

/// The number so far.
pub(super) fn read(folder: &SessionFolder<'_>, what: &str) -> io::Result<u64> {
    match fs::metadata(folder.counter(what)) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(0),
        found => Ok(found?.len()),
    }
}
