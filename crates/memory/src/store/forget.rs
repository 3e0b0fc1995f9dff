//! Taking things back: superseding, and forgetting for good.

use rusqlite::{OptionalExtension, Transaction, params};
use tenter_contract::Timestamp;

use super::refusal::refusal;
use super::{Collection, Store, indexed_text, tombstones};
use crate::error::MemoryError;
use crate::words::Axis;

static EXPERIENCE_SHELVES: [Collection; 4] = [
    Collection::Experiences(Axis::Full),
    Collection::Experiences(Axis::Strategy),
    Collection::Experiences(Axis::Surprise),
    Collection::Experiences(Axis::RootCause),
];

impl Store {
    /// One takes the place of another, which stays as it is but is not found any more. A memory may take the place of an
    /// experience: what was learned from it is stated better now.
    pub(crate) fn supersede(&mut self, old: &str, new: &str) -> Result<(), MemoryError> {
        if old == new {
            return Err(
                MemoryError::validation("something cannot take its own place").with_hint("give two ids")
            );
        }
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            let what = "experience or memory";
            find(transaction, new).map_err(&refused)?.ok_or_else(|| unknown(new, what))?;
            let old = find(transaction, old).map_err(&refused)?.ok_or_else(|| unknown(old, what))?;
            let sql = format!("UPDATE {} SET superseded_by = ? WHERE number = ?", old.table);
            transaction.execute(&sql, params![new, old.number]).map_err(&refused)?;
            indexed_text::rewritten(transaction).map_err(&refused)
        })?;
        self.update_index();
        Ok(())
    }

    /// Removes an experience, a memory or a page for good: the row, its words, its vectors, and what lies in the log
    /// of changes.
    pub(crate) fn forget(&mut self, id: &str, now: Timestamp) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            let kind = remove(transaction, id).map_err(&refused)?;
            let kind = kind.ok_or_else(|| unknown(id, "experience, memory or journal entry"))?;
            tombstones::add(transaction, id, kind, now).map_err(&refused)
        })?;
        self.rewrite_index()?;
        self.empty_log()
    }
}

fn remove(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<&'static str>> {
    if let Some(Numbered { table, kind, collections, number }) = find(transaction, id)? {
        indexed_text::remove(transaction, collections, number)?;
        transaction.execute(&format!("DELETE FROM {table} WHERE number = ?"), [number])?;
        // What it had taken the place of stays out of sight: it was wrong before.
        return Ok(Some(kind));
    }
    let gone = transaction.execute("DELETE FROM journal WHERE id = ?", [id])? > 0;
    Ok(gone.then_some("journal"))
}

struct Numbered {
    table: &'static str,
    kind: &'static str,
    collections: &'static [Collection],
    number: i64,
}

fn find(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<Numbered>> {
    let tables: [(&str, &str, &[Collection]); 2] =
        [("experiences", "experience", &EXPERIENCE_SHELVES), ("memories", "memory", &[Collection::Memories])];
    for (table, kind, collections) in tables {
        let number = transaction
            .prepare_cached(&format!("SELECT number FROM {table} WHERE id = ?"))?
            .query_row([id], |row| row.get(0))
            .optional()?;
        if let Some(number) = number {
            return Ok(Some(Numbered { table, kind, collections, number }));
        }
    }
    Ok(None)
}

fn unknown(id: &str, what: &str) -> MemoryError {
    MemoryError::not_found(format!("there is no {what} `{id}`"))
        .with_hint("`tenter memory search` and `list` show ids")
}
