//! Setting a damaged trail aside. Nothing of it is deleted or changed: it is evidence.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::chain::Tip;
use super::files::{AuditFiles, DAMAGED};
use super::head;
use crate::place::our_file;

/// Moves the trail to a folder of its own, copies the head there, and makes the head that of an empty trail.
/// The head itself stays: it is the lock, and others may be waiting at it. A crash in between leaves a head
/// without a trail, which is damaged too and set aside in its turn.
pub(crate) fn set_aside(files: &AuditFiles, head: &File, why: &str) -> io::Result<PathBuf> {
    let folder = new_folder(&files.folder)?;
    write_new(&folder.join("why"), format!("{why}\n").as_bytes())?;
    write_new(&folder.join("head"), &whole(head)?)?;
    std::fs::rename(&files.trail, folder.join("trail.jsonl"))?;
    head.set_len(0)?;
    head::write(head, &Tip::start())?;
    Ok(folder)
}

/// Named after the moment, which tells people when it was found; if that is taken, after the next one.
fn new_folder(audit: &Path) -> io::Result<PathBuf> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut moment = since_1970.as_millis();
    loop {
        let folder = audit.join(format!("{DAMAGED}{moment}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => moment += 1,
            made => return made.map(|()| folder),
        }
    }
}

fn whole(mut head: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    head.seek(SeekFrom::Start(0))?;
    head.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    our_file().write(true).create_new(true).open(path)?.write_all(bytes)
}
