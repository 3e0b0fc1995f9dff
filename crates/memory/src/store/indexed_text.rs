//! The texts by which search finds rows, each with its words and vector.

use rusqlite::{Connection, Transaction, params};

use super::schema::{Collection, get, set};
use super::{Store, embedding_model};
use crate::embedder::Embedder;
use crate::error::MemoryError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedText {
    pub(crate) collection: Collection,
    pub(crate) text: String,
}

pub(super) fn add(
    transaction: &Transaction<'_>,
    number: i64,
    indexed: &[IndexedText],
    embedder: &dyn Embedder,
) -> rusqlite::Result<()> {
    let vector_of = embedding_model::vectors(transaction, embedder)?;
    for IndexedText { collection, text } in indexed {
        let vector = vector_of(text);
        transaction.prepare_cached("INSERT INTO sides VALUES (?, ?, ?, ?)")?.execute(params![
            collection.number(),
            number,
            text,
            vector
        ])?;
        let table = collection.table();
        transaction
            .prepare_cached(&format!("INSERT INTO {table} (rowid, text) VALUES (?, ?)"))?
            .execute(params![number, text])?;
    }
    Ok(())
}

/// Removes the indexed texts of a row, which makes the vector files stale.
pub(super) fn remove(
    transaction: &Transaction<'_>,
    collections: &[Collection],
    number: i64,
) -> rusqlite::Result<()> {
    for collection in collections {
        let mut statement =
            transaction.prepare_cached("DELETE FROM sides WHERE shelf = ? AND number = ? RETURNING text")?;
        let mut rows = statement.query(params![collection.number(), number])?;
        let mut text: Option<String> = None;
        while let Some(row) = rows.next()? {
            text = Some(row.get(0)?);
        }
        let Some(text) = text else { continue };
        let table = collection.table();
        transaction
            .prepare_cached(&format!("INSERT INTO {table} ({table}, rowid, text) VALUES ('delete', ?, ?)"))?
            .execute(params![number, text])?;
    }
    rewritten(transaction)
}

/// Notes that rows were changed and not only added.
pub(super) fn rewritten(connection: &Connection) -> rusqlite::Result<()> {
    let before: i64 = get(connection, "rewritten")?;
    set(connection, "rewritten", before + 1)
}

impl Store {
    pub(crate) fn text(&self, collection: Collection, number: i64) -> Result<String, MemoryError> {
        let sql = "SELECT text FROM sides WHERE shelf = ? AND number = ?";
        self.query_one(sql, params![collection.number(), number], |row| row.get(0))
    }
}
