//! Entries: predicting, revising, resolving.

use tenter_ghap::{Entry, Resolution, Revision, Start, Who};

use super::Memory;
use crate::error::MemoryError;
use crate::project::Project;
use crate::questions::{EntryFilter, Experience, Resolved};

impl Memory {
    /// Begins an entry; `active_ghap_exists` if this agent has one.
    pub fn start_ghap(
        &self,
        who: &Who,
        project: Option<&Project>,
        start: &Start,
    ) -> Result<Entry, MemoryError> {
        Ok(self.active.start(who, project.map(Project::as_str), start, self.now())?)
    }

    /// Says something about the active entry anew.
    pub fn update_ghap(&self, who: &Who, revision: &Revision) -> Result<Entry, MemoryError> {
        Ok(self.active.update(who, revision, self.now())?)
    }

    /// Ends the active entry and stores it.
    pub fn resolve_ghap(&self, who: &Who, resolution: &Resolution) -> Result<Resolved, MemoryError> {
        let _ = (who, resolution);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Gives the active entry up and stores it as abandoned.
    pub fn abandon_ghap(&self, who: &Who, reason: &str) -> Result<Resolved, MemoryError> {
        let _ = (who, reason);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// The entry this agent works on.
    pub fn active_ghap(&self, who: &Who) -> Result<Option<Entry>, MemoryError> {
        Ok(self.active.active(who)?)
    }

    /// Takes an orphan up as this agent's own; without an id the latest one.
    pub fn adopt_orphan(
        &self,
        who: &Who,
        project: Option<&Project>,
        id: Option<&str>,
    ) -> Result<Entry, MemoryError> {
        Ok(self.active.adopt(who, project.map(Project::as_str), id, self.now())?)
    }

    /// Gives an orphan up and stores it as abandoned; without an id the latest one.
    pub fn abandon_orphan(
        &self,
        who: &Who,
        project: Option<&Project>,
        id: Option<&str>,
        reason: &str,
    ) -> Result<Resolved, MemoryError> {
        let _ = (who, project, id, reason);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Whether this agent should be reminded of its entry: so many tools were called since it last thought about it.
    pub fn should_check_in(&self, who: &Who, frequency: u64) -> Result<bool, MemoryError> {
        Ok(self.active.is_check_in_due(who, frequency)?)
    }

    /// Resolved and abandoned entries, latest first.
    pub fn list_entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, MemoryError> {
        let _ = filter;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// One entry by its id; an active one too.
    pub fn entry(&self, id: &str) -> Result<Experience, MemoryError> {
        let _ = id;
        Err(MemoryError::internal("the store is not there yet"))
    }
}
