//! Ids of deleted rows, without their content. An old export or a waiting line cannot bring those rows back.

use rusqlite::{Connection, Transaction, params};
use tenter_contract::Timestamp;

use super::Store;
use super::refusal::refusal;
use crate::error::MemoryError;

impl Store {
    pub(crate) fn forgotten_among<'a>(
        &self,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<String>, MemoryError> {
        let mut forgotten = Vec::new();
        for id in ids {
            if is_forgotten(&self.connection, id).map_err(refusal(&self.path))? {
                forgotten.push(id.to_owned());
            }
        }
        Ok(forgotten)
    }

    pub(crate) fn restore_forgotten(&mut self, ids: &[String]) -> Result<(), MemoryError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.change(|transaction, _| {
            for id in ids {
                transaction.execute("DELETE FROM forgotten WHERE id = ?", [id])?;
            }
            Ok(())
        })
    }
}

pub(super) fn is_forgotten(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM forgotten WHERE id = ?")?.exists([id])
}

pub(super) fn add(
    transaction: &Transaction<'_>,
    id: &str,
    kind: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR REPLACE INTO forgotten VALUES (?, ?, ?)")?
        .execute(params![id, kind, now.unix_ms.cast_signed()])
        .map(|_| ())
}
