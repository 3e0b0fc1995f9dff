//! Pages of the journal.

use rusqlite::{OptionalExtension, Row, params};
use tenter_contract::Timestamp;

use super::experiences::Conditions;
use super::query::read_json;
use super::{Store, tombstones};
use crate::error::{MemoryError, NextStep};
use crate::types::{JournalEntry, JournalFilter};

impl Store {
    pub(crate) fn add_pages(&mut self, pages: &[JournalEntry]) -> Result<usize, MemoryError> {
        self.change(|transaction, _| {
            let mut added = 0;
            for page in pages {
                if tombstones::is_forgotten(transaction, &page.id)? {
                    continue;
                }
                // The log has a column of its own.
                let without_log = JournalEntry { session_log: None, ..page.clone() };
                added += transaction
                    .prepare_cached("INSERT OR IGNORE INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?
                    .execute(params![
                        page.id,
                        page.created_at.unix_ms.cast_signed(),
                        page.project,
                        page.working_directory,
                        page.project_name,
                        page.reflected_at.map(|moment| moment.unix_ms.cast_signed()),
                        serde_json::to_string(&without_log)?,
                        page.session_log,
                    ])?;
            }
            Ok(added)
        })
    }

    pub(crate) fn page(&self, id: &str, with_log: bool) -> Result<Option<JournalEntry>, MemoryError> {
        let log = if with_log { "log" } else { "NULL" };
        self.query_optional(&format!("SELECT page, {log} FROM journal WHERE id = ?"), [id], read_page)
    }

    pub(crate) fn pages(&self, filter: &JournalFilter) -> Result<Vec<JournalEntry>, MemoryError> {
        let conditions = self.conditions(filter);
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT page, NULL FROM journal {} ORDER BY created_ms DESC, id DESC LIMIT {limit}",
            conditions.sql()
        );
        self.query_all(&sql, conditions.values().as_slice(), read_page)
    }

    /// How many pages match, whatever the limit.
    pub(crate) fn page_total(&self, filter: &JournalFilter) -> Result<usize, MemoryError> {
        let conditions = self.conditions(filter);
        let sql = format!("SELECT count(*) FROM journal {}", conditions.sql());
        self.query_one(&sql, conditions.values().as_slice(), |row| row.get(0))
    }

    fn conditions(&self, filter: &JournalFilter) -> Conditions {
        let mut conditions = Conditions::new(&self.whose(&filter.scope));
        conditions.and("working_directory = ", filter.working_directory.clone());
        conditions.and("project_name = ", filter.project_name.clone());
        if filter.unreflected_only {
            conditions.also("reflected_ms IS NULL");
        }
        conditions
    }

    pub(crate) fn mark_reflected(
        &mut self,
        ids: &[String],
        memories_created: Option<u32>,
        delete_logs: bool,
        now: Timestamp,
    ) -> Result<usize, MemoryError> {
        let log = if delete_logs { "NULL" } else { "log" };
        let update = format!("UPDATE journal SET page = ?, reflected_ms = ?, log = {log} WHERE id = ?");
        self.change(|transaction, _| {
            let mut marked = 0;
            for id in ids {
                let mut select = transaction.prepare_cached("SELECT page, NULL FROM journal WHERE id = ?")?;
                let mut page = select.query_row([id], read_page).optional()?.ok_or_else(|| no_page(id))?;
                marked += usize::from(page.reflected_at.is_none());
                page.reflected_at = page.reflected_at.or(Some(now));
                page.memories_created = memories_created.unwrap_or(page.memories_created);
                let json = serde_json::to_string(&page)?;
                transaction.prepare_cached(&update)?.execute(params![json, now.unix_ms.cast_signed(), id])?;
            }
            Ok(marked)
        })
    }

    pub(crate) fn all_pages(&self) -> Result<Vec<JournalEntry>, MemoryError> {
        self.query_all("SELECT page, log FROM journal ORDER BY created_ms, id", [], read_page)
    }

    pub(crate) fn page_count(&self) -> Result<usize, MemoryError> {
        self.query_one("SELECT count(*) FROM journal", [], |row| row.get(0))
    }
}

pub(crate) fn no_page(id: &str) -> MemoryError {
    MemoryError::not_found(format!("journal entry `{id}` not found")).with_hint(NextStep::ListJournal)
}

pub(super) fn read_page(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    Ok(JournalEntry { session_log: row.get(1)?, ..read_json(row, 0)? })
}
