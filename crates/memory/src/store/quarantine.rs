//! Damaged databases: quarantined under a name with the time, until what can be read of them is saved.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tenter_store::{StateFolder, patient_lock};

use super::opening::must_be_plain;
use super::refusal::is_damage;
use super::schema;
use crate::error::MemoryError;

/// What was not repaired yet is called so, and the time comes after it.
const DAMAGED: &str = "memory.db.damaged-";
/// What can be read of these is in the store.
const SAVED: &str = "memory.db.saved-";
/// Where this is there was a store: made with the first one, so that it is noticed if that is gone.
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

/// The right to move the database; ends with this value, and with the process.
pub(super) fn lock(state: &StateFolder, path: &Path) -> Result<std::fs::File, MemoryError> {
    let lock = state.open_or_create(&path.with_file_name("aside.lock")).map_err(refused(path))?;
    patient_lock(&lock).map_err(refused(path))?;
    Ok(lock)
}

pub(super) fn quarantine_file(path: &Path) -> Result<PathBuf, MemoryError> {
    let moment: String = crate::live::now().to_string().chars().take(19).collect();
    let moment = moment.replace(['-', ':'], "");
    let mut aside = path.with_file_name(format!("{DAMAGED}{moment}"));
    let mut number = 1_u32;
    while aside.exists() {
        number += 1;
        aside = path.with_file_name(format!("{DAMAGED}{moment}-{number}"));
    }
    // Where it is now is reported; that its name is free is no surprise then.
    let _ = std::fs::remove_file(path.with_file_name(BEGUN));
    move_all(path, &aside).map_err(refused(path))?;
    Ok(aside)
}

pub(crate) fn unread_quarantined(path: &Path) -> Vec<PathBuf> {
    beside(path, &[DAMAGED])
}

pub(crate) fn all_quarantined(path: &Path) -> Vec<PathBuf> {
    beside(path, &[DAMAGED, SAVED])
}

fn beside(path: &Path, kinds: &[&str]) -> Vec<PathBuf> {
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

/// The log of changes goes with its database: another one of that name must never find it.
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
