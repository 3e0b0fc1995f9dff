//! The journal: what sessions did, for those who come after.

use std::path::Path;

use tenter_ghap::limits::required;

use super::Memory;
use super::waiting::Later;
use crate::error::MemoryError;
use crate::store::no_page;
use crate::types::{JournalEntry, JournalFilter, NewJournalEntry};

/// A summary is a page, in characters.
const LONGEST: usize = 10_000;

impl Memory {
    /// Writes a page. If the store cannot be used it waits, and a notice says so.
    pub fn store_journal_entry(&self, entry: &NewJournalEntry) -> Result<JournalEntry, MemoryError> {
        let now = self.now();
        let summary = self.clean(&required("summary", &entry.summary, LONGEST)?);
        if summary.is_empty() {
            return Err(MemoryError::validation("nothing is left of `summary` but what is private"));
        }
        let all = |lines: &[String]| {
            lines.iter().map(|line| self.clean(line)).filter(|line| !line.is_empty()).collect()
        };
        let working_directory = entry.working_directory.as_deref().map(|folder| self.clean(folder));
        let project_name = working_directory
            .as_deref()
            .and_then(|folder| Path::new(folder).file_name().map(|name| name.to_string_lossy().into_owned()));
        let page = JournalEntry {
            id: tenter_ghap::id::new("journal", now),
            created_at: now,
            summary,
            working_directory,
            project_name,
            friction_points: all(&entry.friction_points),
            next_steps: all(&entry.next_steps),
            session_id: entry.session.clone(),
            project: entry.project.as_ref().map(|project| self.name_of(project)),
            reflected_at: None,
            memories_created: 0,
            session_log: entry.session_log.as_deref().map(|log| self.clean(log)),
        };
        if let Some(project) = &entry.project {
            self.note_project(project);
        }
        self.store_or_wait(&Later::Page { journal: page.clone() })?;
        Ok(JournalEntry { session_log: None, ..page })
    }

    /// Pages, latest first, without the session log.
    pub fn list_journal_entries(&self, filter: &JournalFilter) -> Result<Vec<JournalEntry>, MemoryError> {
        self.with_store(|store| store.pages(filter))
    }

    /// How many of them there are, whatever the limit.
    pub fn count_journal_entries(&self, filter: &JournalFilter) -> Result<usize, MemoryError> {
        self.with_store(|store| store.page_total(filter))
    }

    /// One page by its id; with the session log, if that is wanted and still there.
    pub fn journal_entry(&self, id: &str, with_log: bool) -> Result<JournalEntry, MemoryError> {
        self.with_store(|store| store.page(id, with_log))?.ok_or_else(|| no_page(id))
    }

    /// Notes that lessons were drawn from these pages; says how many of them were new to that.
    pub fn mark_entries_reflected(
        &self,
        ids: &[String],
        memories_created: Option<u32>,
        delete_logs: bool,
    ) -> Result<usize, MemoryError> {
        let now = self.now();
        self.with_store(|store| store.mark_reflected(ids, memories_created, delete_logs, now))
    }
}
