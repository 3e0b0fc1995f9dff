//! Replaces experiences and memories, and deletes them for good.

use rusqlite::{OptionalExtension, Transaction, params};
use tenter_contract::Timestamp;

use super::{Collection, Store, indexed_text, tombstones};
use crate::error::MemoryError;

impl Store {
    /// Replaces one experience or memory by another. The old one is kept, but no longer found. A memory may replace an
    /// experience.
    pub(crate) fn supersede(&mut self, old: &str, new: &str) -> Result<(), MemoryError> {
        if old == new {
            return Err(
                MemoryError::validation("something cannot take its own place").with_hint("give two ids")
            );
        }
        self.change(|transaction, _| {
            let what = "experience or memory";
            find(transaction, new)?.ok_or_else(|| unknown(new, what))?;
            let old = find(transaction, old)?.ok_or_else(|| unknown(old, what))?;
            let sql = format!("UPDATE {} SET superseded_by = ? WHERE number = ?", old.table);
            transaction.execute(&sql, params![new, old.number])?;
            Ok(indexed_text::rewritten(transaction)?)
        })?;
        self.update_index();
        Ok(())
    }

    /// Deletes an experience, a memory or a page for good: its row, words and vectors, and its bytes in the write-ahead
    /// log.
    pub(crate) fn forget(&mut self, id: &str, now: Timestamp) -> Result<(), MemoryError> {
        self.change(|transaction, _| {
            let kind = remove(transaction, id)?;
            let kind = kind.ok_or_else(|| unknown(id, "experience, memory or journal entry"))?;
            Ok(tombstones::add(transaction, id, kind, now)?)
        })?;
        self.rewrite_index()?;
        self.empty_log()
    }
}

fn remove(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<&'static str>> {
    if let Some(Numbered { table, kind, collections, number }) = find(transaction, id)? {
        indexed_text::remove(transaction, collections, number)?;
        transaction.execute(&format!("DELETE FROM {table} WHERE number = ?"), [number])?;
        // A text that it had replaced stays hidden: it was wrong before.
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
    let (memories, experiences) = Collection::ALL.split_last().unwrap_or((&Collection::Memories, &[]));
    let tables =
        [("experiences", "experience", experiences), ("memories", "memory", std::slice::from_ref(memories))];
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

pub(crate) fn unknown(id: &str, what: &str) -> MemoryError {
    MemoryError::not_found(format!("there is no {what} `{id}`"))
        .with_hint("`tenter memory search` and `list` show ids")
}
