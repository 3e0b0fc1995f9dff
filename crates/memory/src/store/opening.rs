//! Opens the database; quarantines a damaged one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tenter_store::StateFolder;

use super::refusal::{is_damage, is_read_only, refusal};
use super::{Store, log, quarantine, schema, vector_index};
use crate::embedder::Embedder;
use crate::error::MemoryError;

/// How long to wait for another writer. A change takes a few milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);

impl Store {
    pub(crate) fn path_in(state: &StateFolder) -> PathBuf {
        state.path().join("memory").join("memory.db")
    }

    pub(crate) fn open(
        state: &StateFolder,
        embedder: Arc<dyn Embedder>,
        notify: &mut dyn FnMut(String),
    ) -> Result<Self, MemoryError> {
        let path = Self::path_in(state);
        let refused = refusal(&path);
        let mut opened = usable(state, &path, embedder.model_id(), notify);
        if let Err(Failed::Sqlite(cause)) = &opened
            && is_damage(cause)
        {
            if let Some(quarantined) = quarantine::quarantine_unreadable(state, &path)? {
                notify(format!(
                    "the memory was damaged ({cause}) and was moved to `{}`; a new one was begun. Active entries are not \
                     concerned. `tenter memory repair` brings back what can be read of it.",
                    quarantined.display()
                ));
            }
            opened = usable(state, &path, embedder.model_id(), notify);
        }
        let (connection, read_only) = match opened {
            Ok(connection) => (connection, None),
            Err(Failed::Newer(version)) => return Err(newer(&path, version)),
            Err(Failed::Sqlite(cause)) if is_read_only(&cause) && path.exists() => {
                let why = refused(cause).to_string();
                (open_immutable(&path).map_err(&refused)?, Some(why))
            }
            Err(Failed::Sqlite(cause)) => return Err(refused(cause)),
        };
        Ok(Self {
            connection,
            file: super::file_at(&path),
            path,
            state: state.clone(),
            embedder,
            read_only,
            index: vector_index::IndexCache::default(),
            notices: Vec::new(),
            degraded_notices: false,
        })
    }
}

enum Failed {
    Newer(i64),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failed {
    fn from(cause: rusqlite::Error) -> Self {
        Self::Sqlite(cause)
    }
}

pub(crate) fn newer(path: &Path, version: i64) -> MemoryError {
    MemoryError::internal(format!(
        "the memory `{}` was written by a newer tenter (form {version}, this one knows {}) and is left as it is",
        path.display(),
        schema::VERSION
    ))
    .with_hint("update this one")
}

fn usable(
    state: &StateFolder,
    path: &Path,
    model: &str,
    notify: &mut dyn FnMut(String),
) -> Result<Connection, Failed> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // tenter creates the file, so that other users cannot read it.
    if !path.exists()
        && let Err(cause) = state.open_or_create(path)
    {
        return Err(Failed::Sqlite(cannot_open(&cause)));
    }
    must_be_plain(path)?;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    must_not_be_read_only(&connection)?;
    let version = schema::version(&connection)?;
    if version > schema::VERSION {
        return Err(Failed::Newer(version));
    }
    // Changes are durable, because waiting items are removed after them.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Deleted bytes are overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    if version < schema::VERSION {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let was_empty = schema::prepare(&mut connection, model)?;
        if was_empty && quarantine::note_begun(state, path) {
            notify(format!(
                "the memory `{}` was gone or empty, and a new one was begun; `tenter memory import FILE` brings back what \
                 is in an export, and says how a copy of the memory is put back",
                path.display()
            ));
        }
    }
    prepare_for_reading(&connection)?;
    log::shorten(&connection, path);
    Ok(connection)
}

fn prepare_for_reading(connection: &Connection) -> rusqlite::Result<()> {
    // Otherwise SQLite plans again for each value, and FTS5 queries several times for every word.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Opens a database that cannot be written.
fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    must_be_plain(path)?;
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/.-_".contains(byte) {
            address.push(char::from(*byte));
        } else {
            address.push('%');
            address.extend(
                [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])),
            );
        }
    }
    address.push_str("?immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(address, flags)?;
    schema::version(&connection)?;
    prepare_for_reading(&connection)?;
    Ok(connection)
}

/// Rejects pipes, on which SQLite would block.
pub(super) fn must_be_plain(path: &Path) -> rusqlite::Result<()> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(cannot_open(&io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")));
    }
    Ok(())
}

fn cannot_open(cause: &std::io::Error) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN),
        Some(cause.to_string()),
    )
}

/// SQLite silently opens a read-only file for writing and begins transactions.
fn must_not_be_read_only(connection: &Connection) -> rusqlite::Result<()> {
    if !connection.is_readonly("main")? {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY),
        Some("it is only to be read".to_owned()),
    ))
}

/// Fails if nothing can be written now. Waits for another writer as long as the connection does.
pub(super) fn must_be_writable(connection: &Connection) -> rusqlite::Result<()> {
    must_not_be_read_only(connection)?;
    connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")
}
