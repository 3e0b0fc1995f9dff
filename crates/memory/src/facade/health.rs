//! Checks and repairs the memory.

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

/// The health of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The file of the database.
    pub path: PathBuf,
    /// Its condition.
    pub condition: Condition,
    /// Bytes on disk, with what belongs to it.
    pub bytes: u64,
    /// The number of waiting items, if known.
    pub waiting: Option<usize>,
    /// Orphans of the project.
    pub orphans: usize,
    /// Quarantined databases that are not repaired yet.
    pub damaged_files: Vec<PathBuf>,
    /// Why nothing can be written, although the database is intact.
    pub unwritable: Option<String>,
}

impl Health {
    /// The problem that prevents reading or writing, and its fix.
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
    /// The path of the database.
    pub fn path(&self) -> PathBuf {
        Store::path_in(&self.state)
    }

    /// Checks the memory without changing it, the database for this time at most.
    pub fn health(&self, project: Option<&Project>, time: Duration) -> Health {
        let path = self.path();
        let files = path.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten();
        let bytes = files.filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file);
        let no_agent = Who::new(tenter_contract::SessionId::shared());
        let orphans = self.search_orphans(&no_agent, project.map(Project::as_str), |search_orphans| {
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

    /// Saves the readable rows of damaged and quarantined databases into a new one.
    pub fn repair(&self) -> Result<Repaired, MemoryError> {
        let mut slot = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = None;
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        Store::repair(&self.state, Arc::clone(&self.embedder), &mut |notice| notices.push(notice))
    }
}
