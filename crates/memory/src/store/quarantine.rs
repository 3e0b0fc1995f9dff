//! Quarantines damaged databases until repair has saved their readable rows.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tenter_store::{StateFolder, patient_lock};

use super::opening::must_be_plain;
use super::refusal::is_damage;
use super::schema;
use crate::error::MemoryError;

/// Prefix of databases that are not repaired yet; the time follows.
const DAMAGED: &str = "memory.db.damaged-";
/// Prefix of databases whose readable rows were saved.
const SAVED: &str = "memory.db.saved-";
/// Exists since the first database was created, to detect that it is gone.
const BEGUN: &str = "begun";

pub(super) fn quarantine_unreadable(
    state: &StateFolder,
    path: &Path,
) -> Result<Option<PathBuf>, MemoryError> {
    let _lock = lock(state, path)?;
    let still_damaged = must_be_plain(path)
        .and_then(|()| Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY))
        .and_then(|connection| schema::version(&connection).map(|_| ()))
        .is_err_and(|cause| is_damage(&cause));
    if still_damaged { quarantine_file(path).map(Some) } else { Ok(None) }
}

/// Locks the database against moves.
pub(super) fn lock(state: &StateFolder, path: &Path) -> Result<std::fs::File, MemoryError> {
    let lock = state.open_or_create(&path.with_file_name("aside.lock")).map_err(refused(path))?;
    patient_lock(&lock).map_err(refused(path))?;
    Ok(lock)
}

pub(super) fn quarantine_file(path: &Path) -> Result<PathBuf, MemoryError> {
    let moment: String = crate::live::now().to_string().chars().take(19).collect();
    let moment = moment.replace(['-', ':'], "");
    let mut quarantined = path.with_file_name(format!("{DAMAGED}{moment}"));
    let mut number = 1_u32;
    while quarantined.exists() {
        number += 1;
        quarantined = path.with_file_name(format!("{DAMAGED}{moment}-{number}"));
    }
    // The move is reported, so the missing database is expected.
    let _ = std::fs::remove_file(path.with_file_name(BEGUN));
    move_all(path, &quarantined).map_err(refused(path))?;
    Ok(quarantined)
}

pub(crate) fn unread_quarantined(path: &Path) -> Vec<PathBuf> {
    list(path, &[DAMAGED])
}

pub(crate) fn all_quarantined(path: &Path) -> Vec<PathBuf> {
    list(path, &[DAMAGED, SAVED])
}

fn list(path: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let folder = path.parent().and_then(|folder| folder.read_dir().ok());
    let is_one = |name: &str| {
        kinds.iter().any(|kind| name.starts_with(kind)) && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    let mut all: Vec<PathBuf> = folder
        .into_iter()
        .flatten()
        .flatten()
        .filter(|file| file.file_name().to_str().is_some_and(is_one))
        .map(|file| file.path())
        .collect();
    all.sort();
    all
}

pub(super) fn mark_saved(aside: &Path) -> Result<PathBuf, MemoryError> {
    let name = aside.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let saved = aside.with_file_name(name.replacen(DAMAGED, SAVED, 1));
    move_all(aside, &saved).map_err(refused(aside))?;
    Ok(saved)
}

pub(super) fn note_begun(state: &StateFolder, path: &Path) -> bool {
    let begun = path.with_file_name(BEGUN);
    let before = begun.exists();
    if !before {
        let _ = state.open_or_create(&begun);
    }
    before
}

/// Moves the write-ahead log too: a new database with the old name must not read it.
fn move_all(from: &Path, to: &Path) -> io::Result<()> {
    let with = |path: &Path, end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    std::fs::rename(from, to)?;
    for end in ["-wal", "-shm"] {
        match std::fs::rename(with(from, end), with(to, end)) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
            _ => {}
        }
    }
    Ok(())
}

fn refused(path: &Path) -> impl Fn(io::Error) -> MemoryError + use<> {
    let path = path.display().to_string();
    move |cause| {
        MemoryError::internal(format!("the memory `{path}` is damaged and cannot be quarantined: {cause}"))
            .with_hint("make its folder writable")
    }
}
