//! The journal: what sessions did, for those who come after.

use super::Memory;
use crate::error::MemoryError;
use crate::questions::{JournalEntry, JournalFilter, NewJournalEntry};

impl Memory {
    /// Writes a page.
    pub fn store_journal_entry(&self, entry: &NewJournalEntry) -> Result<JournalEntry, MemoryError> {
        let _ = entry;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Pages, latest first, without what was said.
    pub fn list_journal_entries(&self, filter: &JournalFilter) -> Result<Vec<JournalEntry>, MemoryError> {
        let _ = filter;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// One page by its id; with all that was said, if that is wanted and still there.
    pub fn journal_entry(&self, id: &str, with_log: bool) -> Result<JournalEntry, MemoryError> {
        let _ = (id, with_log);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Notes that lessons were drawn from these pages; says how many of them were new to that.
    pub fn mark_entries_reflected(
        &self,
        ids: &[String],
        memories_created: Option<u32>,
        delete_logs: bool,
    ) -> Result<usize, MemoryError> {
        let _ = (ids, memories_created, delete_logs);
        Err(MemoryError::internal("the store is not there yet"))
    }
}
