//! Whether the memory can do what it is for, and mending it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tenter_ghap::Who;

use super::Memory;
use crate::error::MemoryError;
use crate::project::Project;
use crate::store::health::{CheckDepth, Condition, check};
use crate::store::{Store, quarantine};
use crate::types::Repaired;

/// How the memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The file of the database.
    pub path: PathBuf,
    /// What state it is in.
    pub condition: Condition,
    /// Bytes on disk, with what belongs to it.
    pub bytes: u64,
    /// How many things wait to be stored; none if that cannot be known.
    pub waiting: Option<usize>,
    /// Entries of the project that no session works on.
    pub orphans: usize,
    /// Damaged databases that were moved `damaged_files` and not repaired yet.
    pub damaged_files: Vec<PathBuf>,
    /// Why nothing can be stored, although nothing is wrong with what is there.
    pub unwritable: Option<String>,
}

impl Health {
    /// What keeps the memory from reading or writing, and what to do about it.
    pub fn problem(&self) -> Option<String> {
        let path = self.path.display();
        match &self.condition {
            Condition::Missing | Condition::Whole { .. } => self.unwritable.clone(),
            Condition::Damaged(why) => Some(format!(
                "the memory `{path}` is damaged ({why}); `tenter memory repair` saves what can be read"
            )),
            Condition::Newer(version) => Some(crate::store::newer(&self.path, *version).to_string()),
            Condition::ReadOnly(why) | Condition::Unusable(why) => Some(why.clone()),
            Condition::Full => Some(format!("the memory `{path}` finds no room on the disk; make some")),
            Condition::Locked => Some(format!(
                "the memory `{path}` is locked by another process; what is stored meanwhile waits and is not lost"
            )),
        }
    }
}

impl Memory {
    /// Where the database lies, or will.
    pub fn path(&self) -> PathBuf {
        Store::path_in(&self.state)
    }

    /// Checks everything without changing anything, at the database for so long at most.
    pub fn health(&self, project: Option<&Project>, time: Duration) -> Health {
        let path = self.path();
        let files = path.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten();
        let bytes = files.filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file);
        let nobody = Who::new(tenter_contract::SessionId::shared());
        let orphans = self.search_orphans(&nobody, project.map(Project::as_str), |search_orphans| {
            self.active.orphans(search_orphans)
        });
        Health {
            condition: check(&path, CheckDepth::Quick(time)),
            bytes: bytes.map(|metadata| metadata.len()).sum(),
            waiting: self.active.waiting().read().ok().map(|taken| taken.count()),
            orphans: orphans.map_or(0, |orphans| orphans.len()),
            damaged_files: quarantine::unread_quarantined(&path),
            unwritable: self.unwritable(&path),
            path,
        }
    }

    /// Why nothing can be stored: a folder of ours, or the one in which it would be made, cannot be written.
    fn unwritable(&self, database: &Path) -> Option<String> {
        let state = self.state.path();
        let folders = state.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let ours = ["ghap", "memory", "live", "sessions"];
        let known =
            folders.filter(|path| path.file_name().is_some_and(|name| ours.iter().any(|ours| name == *ours)));
        let wanted = [Some(state.to_path_buf()), database.parent().map(Path::to_path_buf)];
        known.chain(wanted.into_iter().flatten()).find_map(|folder| tenter_store::why_unwritable(&folder))
    }

    /// Saves what can be read of a damaged database, also of one that was moved `damaged_files` before, into a new one.
    pub fn repair(&self) -> Result<Repaired, MemoryError> {
        let mut slot = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = None;
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        Store::repair(&self.state, Arc::clone(&self.embedder), &mut |notice| notices.push(notice))
    }
}
