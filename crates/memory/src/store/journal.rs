//! Pages of the journal.

use rusqlite::{OptionalExtension, Row, params};
use tenter_contract::Timestamp;

use super::experiences::Conditions;
use super::refusal::refusal;
use super::{Store, tombstones};
use crate::error::{MemoryError, NextStep};
use crate::types::{JournalEntry, JournalFilter};

impl Store {
    pub(crate) fn add_pages(&mut self, pages: &[JournalEntry]) -> Result<usize, MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            let mut added = 0;
            for page in pages {
                if tombstones::is_forgotten(transaction, &page.id).map_err(&refused)? {
                    continue;
                }
                let log = page.session_log.clone();
                let page = JournalEntry { session_log: None, ..page.clone() };
                let json =
                    serde_json::to_string(&page).map_err(|cause| MemoryError::internal(cause.to_string()))?;
                let mut insert = transaction
                    .prepare_cached("INSERT OR IGNORE INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                    .map_err(&refused)?;
                added += insert
                    .execute(params![
                        page.id,
                        page.created_at.unix_ms.cast_signed(),
                        page.project,
                        page.working_directory,
                        page.project_name,
                        page.reflected_at.map(|moment| moment.unix_ms.cast_signed()),
                        json,
                        log,
                    ])
                    .map_err(&refused)?;
            }
            Ok(added)
        })
    }

    pub(crate) fn page(&self, id: &str, with_log: bool) -> Result<Option<JournalEntry>, MemoryError> {
        let log = if with_log { "log" } else { "NULL" };
        self.connection
            .prepare_cached(&format!("SELECT page, {log} FROM journal WHERE id = ?"))
            .and_then(|mut statement| statement.query_row([id], page_of).optional())
            .map_err(refusal(&self.path))
    }

    pub(crate) fn pages(&self, filter: &JournalFilter) -> Result<Vec<JournalEntry>, MemoryError> {
        let conditions = self.conditions(filter);
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT page, NULL FROM journal {} ORDER BY created_ms DESC, id DESC LIMIT {limit}",
            conditions.sql()
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_map(conditions.values().as_slice(), page_of)?.collect())
            .map_err(refusal(&self.path))
    }

    /// How many there are without the limit.
    pub(crate) fn page_total(&self, filter: &JournalFilter) -> Result<usize, MemoryError> {
        let conditions = self.conditions(filter);
        let sql = format!("SELECT count(*) FROM journal {}", conditions.sql());
        self.connection
            .query_row(&sql, conditions.values().as_slice(), |row| row.get(0))
            .map_err(refusal(&self.path))
    }

    fn conditions(&self, filter: &JournalFilter) -> Conditions {
        let mut conditions = Conditions::of(&self.whose(&filter.scope));
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
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            let mut marked = 0;
            for id in ids {
                let page = transaction
                    .prepare_cached("SELECT page, NULL FROM journal WHERE id = ?")
                    .and_then(|mut statement| statement.query_row([id], page_of).optional())
                    .map_err(&refused)?;
                let Some(mut page) = page else {
                    return Err(MemoryError::not_found(format!("there is no journal entry `{id}`"))
                        .with_hint(NextStep::ListJournal));
                };
                marked += usize::from(page.reflected_at.is_none());
                page.reflected_at = page.reflected_at.or(Some(now));
                page.memories_created = memories_created.unwrap_or(page.memories_created);
                let json =
                    serde_json::to_string(&page).map_err(|cause| MemoryError::internal(cause.to_string()))?;
                let log = if delete_logs { "NULL" } else { "log" };
                transaction
                    .prepare_cached(&format!(
                        "UPDATE journal SET page = ?, reflected_ms = ?, log = {log} WHERE id = ?"
                    ))
                    .and_then(|mut statement| statement.execute(params![json, now.unix_ms.cast_signed(), id]))
                    .map_err(&refused)?;
            }
            Ok(marked)
        })
    }

    pub(crate) fn all_pages(&self) -> Result<Vec<JournalEntry>, MemoryError> {
        self.connection
            .prepare_cached("SELECT page, log FROM journal ORDER BY created_ms, id")
            .and_then(|mut statement| statement.query_map([], page_of)?.collect())
            .map_err(refusal(&self.path))
    }

    pub(crate) fn page_count(&self) -> Result<usize, MemoryError> {
        self.connection
            .query_row("SELECT count(*) FROM journal", [], |row| row.get(0))
            .map_err(refusal(&self.path))
    }
}

pub(super) fn page_of(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    let json: String = row.get(0)?;
    let page: JournalEntry = serde_json::from_str(&json).map_err(|cause| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(cause))
    })?;
    Ok(JournalEntry { session_log: row.get(1)?, ..page })
}
