//! The store: `memory/memory.db`, one SQLite file with all rows, and vector files next to it that are made from it.
//!
//! Rows have what agents and users wrote. *Indexed texts* are the texts by which search finds them, each with its words
//! (FTS5) and its vector; they can be made again from the rows at any time.

mod schema;
mod opening;
mod query;
mod refusal;
mod indexed_text;
mod log;
mod embedding_model;
mod experiences;
mod memories;
mod journal;
mod forget;
mod identities;
mod projects;
mod tombstones;
mod salvage;
pub(crate) mod quarantine;
mod repair;
pub(crate) mod health;
pub(crate) mod vector_index;
mod block;
mod word_counts;
mod mapped;
pub(crate) mod dot;
pub(crate) mod weights;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tenter_store::StateFolder;

use crate::embedder::Embedder;
use crate::error::MemoryError;
use query::ChangeError;

pub(crate) use forget::unknown;
pub(crate) use identities::Whose;
pub(crate) use indexed_text::IndexedText;
pub(crate) use journal::no_page;
pub(crate) use opening::newer;
pub(crate) use refusal::refusal;
pub(crate) use schema::Collection;

pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    /// Device and inode of the opened file: another file may have its name by now.
    file: Option<(u64, u64)>,
    state: StateFolder,
    embedder: Arc<dyn Embedder>,
    /// Why nothing can be written, if so.
    read_only: Option<String>,
    index: vector_index::IndexCache,
    /// What the user must know and has not been shown.
    notices: Vec<String>,
    degraded_notices: bool,
}

impl Store {
    fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>, &dyn Embedder) -> Result<T, ChangeError>,
    ) -> Result<T, MemoryError> {
        if let Some(why) = &self.read_only {
            return Err(MemoryError::internal(why.clone()));
        }
        let refused = refusal(&self.path);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&refused)?;
        let done = change(&transaction, self.embedder.as_ref()).map_err(|error| match error {
            ChangeError::Sqlite(cause) => refused(cause),
            ChangeError::Memory(error) => error,
        })?;
        transaction.commit().map_err(&refused)?;
        log::shorten(&self.connection, &self.path);
        Ok(done)
    }

    pub(crate) fn with_snapshot<T>(
        &mut self,
        read: impl FnOnce(&Self) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        // A read-only store keeps the vectors of its model, and search compares words alone.
        let _ = self.update_vectors();
        let refused = refusal(&self.path);
        let snapshot = self.connection.unchecked_transaction().map_err(&refused)?;
        let result = read(self);
        snapshot.finish().map_err(&refused)?;
        result
    }

    pub(crate) fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    /// Fails if nothing can be written now. Waits for another writer as long as any write does.
    pub(crate) fn can_be_written(&self) -> Result<(), MemoryError> {
        opening::must_be_writable(&self.connection).map_err(refusal(&self.path))
    }

    /// Runs `work` without waiting for another writer.
    pub(crate) fn at_once<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let refused = refusal(&self.path);
        self.connection.busy_timeout(Duration::ZERO).map_err(&refused)?;
        let done = work(self);
        self.connection.busy_timeout(opening::PATIENCE).map_err(&refused)?;
        done
    }

    /// Whether the path still names the opened file. While a server runs, the file may be quarantined or removed, and
    /// new rows would be lost with it.
    pub(crate) fn is_still_there(&self) -> bool {
        self.file.is_some() && file_at(&self.path) == self.file
    }

    /// What the user must know and has not been shown.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let folder = self.path.parent().and_then(|folder| folder.read_dir().ok());
        let files = folder.into_iter().flatten().flatten().filter_map(|file| file.metadata().ok());
        files.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
    }
}

fn file_at(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
