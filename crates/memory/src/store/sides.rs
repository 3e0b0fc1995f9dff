//! The texts under which rows are found: words and vector of each.

use rusqlite::{Connection, Transaction, params};

use super::refusal::refusal;
use super::schema::{Shelf, get, set};
use super::{Store, fitting};
use crate::embedder::Embedder;
use crate::error::MemoryError;

/// A text under which a row is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) shelf: Shelf,
    pub(crate) text: String,
}

/// Adds the sides of a new row.
pub(super) fn add(
    transaction: &Transaction<'_>,
    number: i64,
    sides: &[Side],
    embedder: &dyn Embedder,
) -> rusqlite::Result<()> {
    let vector_of = fitting::vectors(transaction, embedder)?;
    for Side { shelf, text } in sides {
        let vector = vector_of(text);
        transaction.prepare_cached("INSERT INTO sides VALUES (?, ?, ?, ?)")?.execute(params![
            shelf.number(),
            number,
            text,
            vector
        ])?;
        let table = shelf.table();
        transaction
            .prepare_cached(&format!("INSERT INTO {table} (rowid, text) VALUES (?, ?)"))?
            .execute(params![number, text])?;
    }
    Ok(())
}

/// Takes out the sides of a row; what was made from them must be made again.
pub(super) fn remove(transaction: &Transaction<'_>, shelves: &[Shelf], number: i64) -> rusqlite::Result<()> {
    for shelf in shelves {
        let mut statement =
            transaction.prepare_cached("DELETE FROM sides WHERE shelf = ? AND number = ? RETURNING text")?;
        let mut rows = statement.query(params![shelf.number(), number])?;
        let mut text: Option<String> = None;
        while let Some(row) = rows.next()? {
            text = Some(row.get(0)?);
        }
        let Some(text) = text else { continue };
        let table = shelf.table();
        transaction
            .prepare_cached(&format!("INSERT INTO {table} ({table}, rowid, text) VALUES ('delete', ?, ?)"))?
            .execute(params![number, text])?;
    }
    rewritten(transaction)
}

/// Says that rows were changed and not only added.
pub(super) fn rewritten(connection: &Connection) -> rusqlite::Result<()> {
    let before: i64 = get(connection, "rewritten")?;
    set(connection, "rewritten", before + 1)
}

impl Store {
    /// The text of a side.
    pub(crate) fn text(&self, shelf: Shelf, number: i64) -> Result<String, MemoryError> {
        self.connection
            .prepare_cached("SELECT text FROM sides WHERE shelf = ? AND number = ?")
            .and_then(|mut statement| statement.query_row(params![shelf.number(), number], |row| row.get(0)))
            .map_err(refusal(&self.path))
    }
}
