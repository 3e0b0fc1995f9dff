//! Keeps the vectors of one model, because vectors of two models cannot be compared.
//!
//! The store notes the model of its vectors. A process with another model embeds all texts again if that is quick and the
//! user selected no other model. Otherwise search compares words alone until the user runs `tenter memory reindex`.

use std::fs::TryLockError;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::Store;
use super::indexed_text::rewritten;
use super::refusal::refusal;
use super::schema::{get, set};
use crate::embedder::Embedder;
use crate::error::MemoryError;

/// The model of a store while its vectors are made again, or after that was interrupted.
const NONE: &str = "";
/// Set while there are texts without a vector.
const GAPS: &str = "gaps";
/// How many vectors a transaction writes; other writers wait no longer than that takes.
const BATCH: usize = 64;

/// Embeds new texts; the vectors are empty if the store has another model's vectors, or ours cannot be read.
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

    /// Embeds stored texts with our model if that is quick; otherwise notifies the user, once.
    pub(crate) fn update_vectors(&mut self) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        let model: String = get(&self.connection, "model").map_err(&refused)?;
        let ours = model == self.embedder.model_id();
        if ours && !has_gaps(&self.connection).map_err(&refused)? {
            return Ok(());
        }
        let missing = missing(ours);
        let most = self.embedder.at_once();
        let count = format!("SELECT count(*) FROM (SELECT 1 FROM sides{missing} LIMIT ?)");
        let texts: usize = self.query_one(&count, [most + 1], |row| row.get(0))?;
        // A store without a model may be in the middle of another process's reindex.
        let may = ours || model != NONE && self.embedder.takes_over(&model);
        let quick = may && texts <= most;
        if texts == 0 || quick && self.embedder.can_embed() {
            return self.change(|transaction, embedder| Ok(embed(transaction, embedder, ours)?));
        }
        if !self.degraded_notices {
            self.degraded_notices = true;
            self.notices.push(incompatible(&model, self.embedder.model_id()));
        }
        Ok(())
    }

    /// Embeds all texts without a vector of our model and returns their number. Other processes go on meanwhile, and
    /// compare words alone.
    pub(crate) fn reindex(&mut self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, MemoryError> {
        let refused = refusal(&self.path);
        let _lock = self.lock_for_reindex()?;
        let ours = self.has_our_model();
        if ours && !has_gaps(&self.connection).map_err(&refused)? {
            // No check covers the bytes of the vector files, so they are written again.
            self.rewrite_index()?;
            return Ok(0);
        }
        self.embedder.can_embed();
        if let Some(trouble) = self.embedder.trouble() {
            return Err(MemoryError::internal(trouble));
        }
        if !ours {
            self.change(|transaction, _| Ok(set(transaction, "model", NONE)?))?;
        }
        let keys = format!("SELECT shelf, number FROM sides{}", missing(ours));
        let keys: Vec<(i64, i64)> = self.query_all(&keys, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (at, batch) in keys.chunks(BATCH).enumerate() {
            progress(at * BATCH, keys.len());
            let mut made = Vec::with_capacity(BATCH);
            for (collection, number) in batch {
                let text = "SELECT text FROM sides WHERE shelf = ? AND number = ?";
                let text: Option<String> =
                    self.query_optional(text, params![collection, number], |row| row.get(0))?;
                // None: it was forgotten meanwhile.
                made.extend(text.map(|text| (*collection, *number, bytes(self.embedder.embed(&text)))));
            }
            self.change(|transaction, _| Ok(write(transaction, &made)?))?;
        }
        // Texts that were added meanwhile have no vector yet.
        self.change(|transaction, embedder| Ok(embed(transaction, embedder, true)?))?;
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
    let select = format!("SELECT shelf, number, text FROM sides{}", missing(only_missing));
    let mut all = transaction.prepare(&select)?;
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
        transaction.prepare_cached("UPDATE sides SET vector = ? WHERE shelf = ? AND number = ?")?;
    for (collection, number, vector) in made {
        change.execute(params![vector, collection, number])?;
    }
    Ok(())
}

fn bytes(vector: Vec<i8>) -> Vec<u8> {
    vector.into_iter().map(i8::cast_unsigned).collect()
}
