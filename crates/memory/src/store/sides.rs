//! The texts under which rows are found: words and vector of each.

use rusqlite::{Connection, Transaction, params};

use super::Store;
use super::refusal::refusal;
use super::schema::{Shelf, get, set};
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
    for Side { shelf, text } in sides {
        let vector = bytes(embedder.embed(text));
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

/// A vector as it is stored.
pub(super) fn bytes(vector: Vec<i8>) -> Vec<u8> {
    vector.into_iter().map(i8::cast_unsigned).collect()
}

impl Store {
    /// Embeds everything again if it was embedded by another model.
    pub(crate) fn fit_to_model(&mut self) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        let model: String = get(&self.connection, "model").map_err(&refused)?;
        if model == self.embedder.model_id() {
            return Ok(());
        }
        self.change(|transaction, embedder| embed_all(transaction, embedder).map_err(refused))
    }

    /// Whether vectors can be compared with those of our model.
    pub(crate) fn has_our_model(&self) -> bool {
        get::<String>(&self.connection, "model").is_ok_and(|model| model == self.embedder.model_id())
    }

    /// The text of a side.
    pub(crate) fn text(&self, shelf: Shelf, number: i64) -> Result<String, MemoryError> {
        self.connection
            .prepare_cached("SELECT text FROM sides WHERE shelf = ? AND number = ?")
            .and_then(|mut statement| statement.query_row(params![shelf.number(), number], |row| row.get(0)))
            .map_err(refusal(&self.path))
    }
}

fn embed_all(transaction: &Transaction<'_>, embedder: &dyn Embedder) -> rusqlite::Result<()> {
    let mut all = transaction.prepare("SELECT shelf, number, text FROM sides")?;
    let mut change = transaction.prepare("UPDATE sides SET vector = ? WHERE shelf = ? AND number = ?")?;
    let sides = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    // A text is not changed by this, so rows may be changed while they are read; SQLite wants them read first.
    let sides: Vec<(i64, i64, String)> = sides.collect::<rusqlite::Result<_>>()?;
    for (shelf, number, text) in sides {
        change.execute(params![bytes(embedder.embed(&text)), shelf, number])?;
    }
    set(transaction, "model", embedder.model_id())?;
    rewritten(transaction)
}
