//! The database: `memory/memory.db`, one SQLite file that is the truth, and files beside it that are made from it.
//!
//! Rows are what people said; *sides* are the texts under which they are found, each with its words (FTS5) and its
//! vector. Sides can be made again from the rows at any time.

mod schema;
mod opening;
mod refusal;
mod sides;
mod fitting;
mod experiences;
mod memories;
mod journal;
mod sessions;
mod forget;
pub(crate) mod cards;
mod mapped;
pub(crate) mod dot;
pub(crate) mod weights;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tenter_store::StateFolder;

use crate::embedder::Embedder;
use crate::error::MemoryError;

pub(crate) use refusal::refusal;
pub(crate) use schema::Shelf;
pub(crate) use sides::Side;

/// An open database.
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    /// Which file was opened: another may have its name by now.
    file: Option<(u64, u64)>,
    state: StateFolder,
    embedder: Arc<dyn Embedder>,
    /// Why nothing can be written, if so.
    read_only: Option<String>,
    cards: cards::Kept,
    /// What the user must know and has not been told.
    notices: Vec<String>,
    told_unfit: bool,
}

impl Store {
    /// Runs a change as a whole or not at all. Whoever waits for another writer waits at its beginning.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>, &dyn Embedder) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        if let Some(why) = &self.read_only {
            return Err(MemoryError::internal(why.clone()));
        }
        let refused = refusal(&self.path);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&refused)?;
        let done = change(&transaction, self.embedder.as_ref())?;
        transaction.commit().map_err(&refused)?;
        Ok(done)
    }

    /// Whether what was opened is what is found under its name. Servers live long, and meanwhile somebody may have
    /// moved the file aside or removed it; what is written to it then would be gone with it.
    pub(crate) fn is_still_there(&self) -> bool {
        self.file.is_some() && file_at(&self.path) == self.file
    }

    /// What the user must know and has not been told.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// For those who only read.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Makes vectors.
    pub(crate) fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// How many bytes lie on disk.
    pub(crate) fn bytes(&self) -> u64 {
        let folder = self.path.parent().and_then(|folder| folder.read_dir().ok());
        let files = folder.into_iter().flatten().flatten().filter_map(|file| file.metadata().ok());
        files.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
    }
}

/// What tells a file from another of its name.
fn file_at(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
