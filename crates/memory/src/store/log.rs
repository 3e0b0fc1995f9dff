//! Keeps the write-ahead log (`memory.db-wal`) short, because the first process that opens the database reads all of it.
//! Hooks do that at every prompt.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::Store;
use super::opening::PATIENCE;
use super::refusal::refusal;
use crate::error::MemoryError;

/// A log of this many bytes is quick to read.
const SHORT: u64 = 64 * 1024;

/// Checkpoints and truncates a long log without waiting. While another process reads an older state, the log stays.
pub(super) fn shorten(connection: &Connection, database: &Path) {
    if file(database).metadata().is_ok_and(|log| log.len() > SHORT) {
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = empty(connection);
        let _ = connection.busy_timeout(PATIENCE);
    }
}

impl Store {
    /// Checkpoints and truncates the log, so that no deleted bytes are left in it.
    pub(super) fn empty_log(&self) -> Result<(), MemoryError> {
        if empty(&self.connection).map_err(refusal(&self.path))? {
            return Ok(());
        }
        Err(MemoryError::internal("it is forgotten, but another process still reads an older state")
            .with_hint("the bytes are gone from the disk when you do this again after it has ended"))
    }
}

fn empty(connection: &Connection) -> rusqlite::Result<bool> {
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}

fn file(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}
