//! Vectors of one model: those of two cannot be compared.
//!
//! The store says whose vectors it has. A process that comes with another model embeds everything again if that takes no time
//! and no one has chosen otherwise; else words alone are compared until `tenter memory reindex` has done it.

use std::fs::TryLockError;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::Store;
use super::indexed_text::rewritten;
use super::refusal::refusal;
use super::schema::{get, set};
use crate::embedder::Embedder;
use crate::error::MemoryError;

/// The model of a store whose vectors are being made again, or were not to the end.
const NONE: &str = "";
/// Set while there are texts without a vector.
const GAPS: &str = "gaps";
/// So many are stored at a time; no one else waits for longer than writing these takes.
const BATCH: usize = 64;

/// Makes the vectors of new texts; empty ones where the store has another model's, or ours cannot be read.
pub(super) fn vectors<'a>(
    transaction: &Transaction<'_>,
    embedder: &'a dyn Embedder,
) -> rusqlite::Result<impl Fn(&str) -> Vec<u8> + use<'a>> {
    let fits = get::<String>(transaction, "model")? == embedder.model_id() && embedder.can_embed();
    if !fits {
        set(transaction, GAPS, 1)?;
    }
    Ok(move |text: &str| if fits { bytes(embedder.embed(text)) } else { Vec::new() })
}

impl Store {
    pub(crate) fn has_our_model(&self) -> bool {
        get::<String>(&self.connection, "model").is_ok_and(|model| model == self.embedder.model_id())
    }

    /// Sees to it that what is stored has vectors of our model, if that takes no time; else says so, once.
    pub(crate) fn update_vectors(&mut self) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        let model: String = get(&self.connection, "model").map_err(&refused)?;
        let ours = model == self.embedder.model_id();
        if ours && !has_gaps(&self.connection).map_err(&refused)? {
            return Ok(());
        }
        let missing = missing(ours);
        let most = self.embedder.at_once();
        let texts: usize = self
            .connection
            .query_row(
                &format!("SELECT count(*) FROM (SELECT 1 FROM sides{missing} LIMIT ?)"),
                [most + 1],
                |row| row.get(0),
            )
            .map_err(&refused)?;
        // A process may be at work on a store that has no model.
        let may = ours || model != NONE && self.embedder.takes_over(&model);
        let quick = may && texts <= most;
        if texts == 0 || quick && self.embedder.can_embed() {
            return self.change(|transaction, embedder| embed(transaction, embedder, ours).map_err(refused));
        }
        if !self.degraded_notices {
            self.degraded_notices = true;
            self.notices.push(incompatible(&model, self.embedder.model_id()));
        }
        Ok(())
    }

    /// Embeds everything again that has no vector of our model, and says how many texts. Others go on meanwhile, and
    /// compare words alone.
    pub(crate) fn reindex(&mut self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, MemoryError> {
        let refused = refusal(&self.path);
        let _lock = self.lock_for_reindex()?;
        let ours = self.has_our_model();
        if ours && !has_gaps(&self.connection).map_err(&refused)? {
            // No check finds whether bytes in these files were changed: that would take as long as reading them.
            self.rewrite_index()?;
            return Ok(0);
        }
        self.embedder.can_embed();
        if let Some(trouble) = self.embedder.trouble() {
            return Err(MemoryError::internal(trouble));
        }
        if !ours {
            self.change(|transaction, _| set(transaction, "model", NONE).map_err(&refused))?;
        }
        let keys = self.keys(missing(ours)).map_err(&refused)?;
        for (at, batch) in keys.chunks(BATCH).enumerate() {
            progress(at * BATCH, keys.len());
            let mut made = Vec::with_capacity(BATCH);
            for (collection, number) in batch {
                let text = self.indexed_text(*collection, *number).map_err(&refused)?;
                made.extend(text.map(|text| (*collection, *number, bytes(self.embedder.embed(&text)))));
            }
            self.change(|transaction, _| write(transaction, &made).map_err(&refused))?;
        }
        // What came meanwhile has none.
        self.change(|transaction, embedder| embed(transaction, embedder, true).map_err(&refused))?;
        progress(keys.len(), keys.len());
        self.rewrite_index()?;
        Ok(keys.len())
    }

    fn lock_for_reindex(&self) -> Result<std::fs::File, MemoryError> {
        let path = self.path.with_file_name("reindex.lock");
        let refused = |cause: &dyn std::fmt::Display| {
            MemoryError::internal(format!("`{}` cannot be locked: {cause}", path.display()))
        };
        let file = self.state.open_or_create(&path).map_err(|cause| refused(&cause))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(MemoryError::internal("another `tenter memory reindex` is at work")
                    .with_hint("wait until it is done"))
            }
            Err(TryLockError::Error(cause)) => Err(refused(&cause)),
        }
    }

    fn keys(&self, which: &str) -> rusqlite::Result<Vec<(i64, i64)>> {
        let mut all = self.connection.prepare(&format!("SELECT session_store, number FROM sides{which}"))?;
        all.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// The text of a indexed text; none if it was forgotten meanwhile.
    fn indexed_text(&self, collection: i64, number: i64) -> rusqlite::Result<Option<String>> {
        let mut text = self
            .connection
            .prepare_cached("SELECT text FROM sides WHERE session_store = ? AND number = ?")?;
        text.query_row(params![collection, number], |row| row.get(0)).optional()
    }
}

fn incompatible(model: &str, ours: &str) -> String {
    if model == ours {
        return "much of what is known was stored while its model could not be used, and is found by its words alone; \
                `tenter memory reindex` embeds it"
            .to_owned();
    }
    let whose = if model == NONE { "no model to the end".to_owned() } else { format!("`{model}`") };
    format!(
        "what is known was embedded by {whose} and not by `{ours}`, so words alone are compared; \
         `tenter memory reindex` embeds it again"
    )
}

fn missing(ours: bool) -> &'static str {
    if ours { " WHERE length(vector) = 0" } else { "" }
}

fn has_gaps(connection: &Connection) -> rusqlite::Result<bool> {
    let mut gaps = connection.prepare_cached("SELECT value FROM meta WHERE key = ?")?;
    Ok(gaps.query_row([GAPS], |row| row.get::<_, i64>(0)).optional()?.unwrap_or(0) != 0)
}

/// Embeds all texts, or those without a vector, and notes that the store has this model's vectors now.
fn embed(transaction: &Transaction<'_>, embedder: &dyn Embedder, only_missing: bool) -> rusqlite::Result<()> {
    let missing = if only_missing { " WHERE length(vector) = 0" } else { "" };
    let mut all = transaction.prepare(&format!("SELECT session_store, number, text FROM sides{missing}"))?;
    let texts = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    // SQLite wants rows read before they are changed.
    let texts: Vec<(i64, i64, String)> = texts.collect::<rusqlite::Result<_>>()?;
    let made = texts
        .into_iter()
        .map(|(collection, number, text)| (collection, number, bytes(embedder.embed(&text))));
    write(transaction, &made.collect::<Vec<_>>())?;
    set(transaction, "model", embedder.model_id())?;
    set(transaction, GAPS, 0)?;
    rewritten(transaction)
}

fn write(transaction: &Transaction<'_>, made: &[(i64, i64, Vec<u8>)]) -> rusqlite::Result<()> {
    let mut change =
        transaction.prepare_cached("UPDATE sides SET vector = ? WHERE session_store = ? AND number = ?")?;
    for (collection, number, vector) in made {
        change.execute(params![vector, collection, number])?;
    }
    Ok(())
}

fn bytes(vector: Vec<i8>) -> Vec<u8> {
    vector.into_iter().map(i8::cast_unsigned).collect()
}
