//! Quarantine for damaged files. Nothing is deleted or changed: it is evidence.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::files::{AuditFiles, DAMAGED, name_of};
use crate::place::our_file;

/// Moves the trail, full files included, to a folder of its own and copies the head there. The head itself
/// stays: it is the lock, and others may be waiting at it; the caller makes it that of an empty trail. A
/// crash in between leaves a head without a trail, which is damaged too and quarantined in its turn.
pub(crate) fn move_trail(files: &AuditFiles, head: &File, why: &str) -> io::Result<PathBuf> {
    let folder = new_folder(files, DAMAGED)?;
    write_reason(&folder, head, why)?;
    let full = files.all_full().map_err(io::Error::other)?;
    for path in full.iter().map(|full| full.path.as_path()).chain([files.trail.as_path()]) {
        match std::fs::rename(path, folder.join(name_of(path))) {
            // A writer that was stopped here has already moved it.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            moved => moved?,
        }
    }
    Ok(folder)
}

/// Moves one file to a folder of its own.
pub(crate) fn move_file(files: &AuditFiles, path: &Path, why: &str) -> io::Result<PathBuf> {
    let folder = new_folder(files, DAMAGED)?;
    write_new(&folder.join("why"), format!("{why}\n").as_bytes())?;
    std::fs::rename(path, folder.join(name_of(path)))?;
    Ok(folder)
}

/// Writes down what is wrong, and the head as it was found.
pub(crate) fn write_reason(folder: &Path, head: &File, why: &str) -> io::Result<()> {
    write_new(&folder.join("why"), format!("{why}\n").as_bytes())?;
    write_new(&folder.join("head"), &whole(head)?)
}

/// Named after the moment, which shows people when it was found; if that is taken, after the next one.
pub(crate) fn new_folder(files: &AuditFiles, prefix: &str) -> io::Result<PathBuf> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut moment = since_1970.as_millis();
    loop {
        let folder = files.folder.join(format!("{prefix}{moment}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => moment += 1,
            made => return made.map(|()| folder),
        }
    }
}

/// Writes a file that must not be there yet.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    our_file().write(true).create_new(true).open(path)?.write_all(bytes)
}

fn whole(head: &File) -> io::Result<Vec<u8>> {
    let length = usize::try_from(head.metadata()?.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length];
    head.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}
