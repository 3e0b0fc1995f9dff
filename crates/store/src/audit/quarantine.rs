//! Quarantine for damaged files. They are evidence, so nothing is deleted or changed.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};

use super::files::{AuditFiles, DAMAGED, name_of};
use crate::clock::since_epoch;
use crate::place::{if_found, our_file};

/// Moves the trail, full files included, to a new folder, and copies the head there. The head itself stays, because it is
/// the lock and other processes may wait for it; the caller resets it. A crash in between leaves a head without a trail,
/// which is quarantined in turn.
pub(crate) fn move_trail(files: &AuditFiles, head: &File, why: &str) -> io::Result<PathBuf> {
    let folder = new_folder(files, DAMAGED)?;
    write_reason(&folder, head, why)?;
    let full = files.all_full().map_err(io::Error::other)?;
    for path in full.iter().map(|full| full.path.as_path()).chain([files.trail.as_path()]) {
        // A writer that was stopped here may have moved it already.
        if_found(std::fs::rename(path, folder.join(name_of(path))))?;
    }
    Ok(folder)
}

/// Moves one file to a new folder.
pub(crate) fn move_file(files: &AuditFiles, path: &Path, why: &str) -> io::Result<PathBuf> {
    let folder = new_folder(files, DAMAGED)?;
    write_new(&folder.join("why"), format!("{why}\n").as_bytes())?;
    std::fs::rename(path, folder.join(name_of(path)))?;
    Ok(folder)
}

/// Writes the reason, and the head as it was found.
pub(crate) fn write_reason(folder: &Path, head: &File, why: &str) -> io::Result<()> {
    write_new(&folder.join("why"), format!("{why}\n").as_bytes())?;
    let mut bytes = vec![0; usize::try_from(head.metadata()?.len()).unwrap_or(usize::MAX)];
    head.read_exact_at(&mut bytes, 0)?;
    write_new(&folder.join("head"), &bytes)
}

/// Creates a folder named after the present millisecond, or the next one that is free.
pub(crate) fn new_folder(files: &AuditFiles, prefix: &str) -> io::Result<PathBuf> {
    let mut moment = since_epoch().as_millis();
    loop {
        let folder = files.folder.join(format!("{prefix}{moment}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => moment += 1,
            made => return made.map(|()| folder),
        }
    }
}

/// Writes a file that must not exist.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    our_file().write(true).create_new(true).open(path)?.write_all(bytes)
}
