//! Starts, revises, resolves and lists entries.

use std::collections::BTreeSet;

use tenter_contract::Timestamp;
use tenter_ghap::{Entry, Resolution, Revision, Start, Who};

use super::Memory;
use crate::error::MemoryError;
use crate::project::Project;
use crate::types::{EntryFilter, Experience, Resolved, Scope, Unresolved};

impl Memory {
    /// Starts an entry; `active_ghap_exists` if this agent has one.
    pub fn start_ghap(
        &self,
        who: &Who,
        project: Option<&Project>,
        start: &Start,
    ) -> Result<Entry, MemoryError> {
        let name = project.map(|project| self.name_of(project));
        let entry = self.active.start(who, name.as_deref(), start, self.now())?;
        // Starting needs no database, so an error of noting the project is ignored.
        if let Some(project) = project {
            self.note_project(project);
        }
        self.mark_active(who);
        Ok(entry)
    }

    /// Revises the active entry.
    pub fn update_ghap(&self, who: &Who, revision: &Revision) -> Result<Entry, MemoryError> {
        self.active.update(who, revision, self.now())
    }

    /// Resolves the active entry and stores it.
    pub fn resolve_ghap(&self, who: &Who, resolution: &Resolution) -> Result<Resolved, MemoryError> {
        let entry = self.active.resolve(who, resolution, self.now())?;
        Ok(Resolved { entry, store_status: self.store_finished() })
    }

    /// Abandons the active entry and stores it.
    pub fn abandon_ghap(&self, who: &Who, reason: &str) -> Result<Resolved, MemoryError> {
        let entry = self.active.abandon(who, reason, self.now())?;
        Ok(Resolved { entry, store_status: self.store_finished() })
    }

    /// The active entry of this agent.
    pub fn active_ghap(&self, who: &Who) -> Result<Option<Entry>, MemoryError> {
        self.active.active(who)
    }

    /// Every entry that is not resolved, as this agent sees it; latest first.
    pub fn active_entries(&self, who: &Who, scope: &Scope) -> Result<Vec<Unresolved>, MemoryError> {
        let mut all: Vec<(Entry, Timestamp)> =
            self.active.all()?.into_iter().map(|(active, seen)| (active.entry, seen)).collect();
        if let Scope::Project(project) = scope {
            let names = self.names(Some(project));
            all.retain(|(entry, _)| entry.project.is_none() || names.contains(&entry.project));
        }
        all.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        let projects: BTreeSet<Option<&str>> =
            all.iter().map(|(entry, _)| entry.project.as_deref()).collect();
        let mut orphans = BTreeSet::new();
        for project in projects {
            let found =
                self.search_orphans(who, project, |search_orphans| self.active.orphans(search_orphans))?;
            orphans.extend(found.into_iter().map(|(entry, _)| entry.id));
        }
        let seen = all.into_iter().map(|(entry, last_seen)| {
            let is_orphan = orphans.contains(&entry.id);
            Unresolved { entry, last_seen, is_orphan }
        });
        Ok(seen.collect())
    }

    /// Adopts an orphan; without an id the latest one.
    pub fn adopt_orphan(
        &self,
        who: &Who,
        project: Option<&Project>,
        id: Option<&str>,
    ) -> Result<Entry, MemoryError> {
        let entry = self.under_any_name(project, |project| {
            self.search_orphans(who, project, |search_orphans| self.active.adopt(search_orphans, id))
        })?;
        self.mark_active(who);
        Ok(entry)
    }

    /// Abandons an orphan and stores it; without an id the latest one.
    pub fn abandon_orphan(
        &self,
        who: &Who,
        project: Option<&Project>,
        id: Option<&str>,
        reason: &str,
    ) -> Result<Resolved, MemoryError> {
        let entry = self.under_any_name(project, |project| {
            self.search_orphans(who, project, |search_orphans| {
                self.active.abandon_orphan(search_orphans, id, reason)
            })
        })?;
        Ok(Resolved { entry, store_status: self.store_finished() })
    }

    fn mark_active(&self, who: &Who) {
        // Without it, inactivity decides whether the session is alive.
        let _ = self.live().mark_active(&who.session);
    }

    /// Whether a reminder is due after `frequency` tool calls.
    pub fn should_check_in(&self, who: &Who, frequency: u64) -> Result<bool, MemoryError> {
        self.active.is_check_in_due(who, frequency)
    }

    /// Resolved and abandoned entries, latest first.
    pub fn list_entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, MemoryError> {
        self.with_store(|store| store.entries(filter))
    }

    /// The number of matching entries, whatever the limit.
    pub fn count_entries(&self, filter: &EntryFilter) -> Result<usize, MemoryError> {
        self.with_store(|store| store.entry_count(filter))
    }

    /// An entry by its id, resolved or active.
    pub fn entry(&self, id: &str) -> Result<Experience, MemoryError> {
        if let Some((active, _)) = self.active.all()?.into_iter().find(|(active, _)| active.entry.id == id) {
            return Ok(Experience { entry: active.entry, superseded_by: None });
        }
        self.with_store(|store| store.experience(id))?.ok_or_else(|| {
            MemoryError::not_found(format!("there is no entry `{id}`"))
                .with_hint("`tenter ghap list` lists them")
        })
    }
}
