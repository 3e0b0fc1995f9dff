//! Watchers of questions: one file each, locked while its process lives.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::PathBuf;

use super::{ApprovalFolder, new_id};
use crate::place::{names_in, open_to_read, our_file};

/// A registered watcher; dropping it ends the registration.
#[derive(Debug)]
pub struct Watcher {
    path: PathBuf,
    _locked: File,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

impl ApprovalFolder {
    fn watchers(&self) -> PathBuf {
        self.path.join("watchers")
    }

    /// Registers a watcher.
    pub fn watch(&self) -> io::Result<Watcher> {
        let folder = self.watchers();
        self.state.make_folder(&folder)?;
        let path = folder.join(format!("{}-{}", std::process::id(), new_id()));
        let file = our_file().write(true).create_new(true).open(&path)?;
        file.lock()?;
        Ok(Watcher { path, _locked: file })
    }

    /// Whether a watcher runs. Files of dead watchers are removed.
    pub fn is_watched(&self) -> io::Result<bool> {
        let folder = self.watchers();
        for name in names_in(&folder)? {
            let path = folder.join(name);
            let Ok(file) = open_to_read(&path) else { continue };
            match file.try_lock_shared() {
                Err(TryLockError::WouldBlock) => return Ok(true),
                Err(TryLockError::Error(cause)) => return Err(cause),
                Ok(()) => drop(fs::remove_file(&path)),
            }
        }
        Ok(false)
    }
}
