//! Opening the database, whatever state it is in.

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

/// A change takes a few milliseconds; a process that holds the file longer holds up a session.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);

impl Store {
    pub(crate) fn path_in(state: &StateFolder) -> PathBuf {
        state.path().join("memory").join("memory.db")
    }

    pub(crate) fn open(
        state: &StateFolder,
        embedder: Arc<dyn Embedder>,
        tell: &mut dyn FnMut(String),
    ) -> Result<Self, MemoryError> {
        let path = Self::path_in(state);
        let refused = refusal(&path);
        let (connection, read_only) = match usable(state, &path, embedder.model_id(), tell) {
            Ok(connection) => (connection, None),
            Err(Failed::Newer(version)) => return Err(newer(&path, version)),
            Err(Failed::Sqlite(cause)) if is_damage(&cause) => {
                if let Some(aside) = quarantine::quarantine_unreadable(state, &path)? {
                    tell(format!(
                        "the memory was damaged ({cause}) and lies in `{}` now; a new one was begun. Active entries \
                         are not concerned. `tenter memory repair` brings back what can be read of it.",
                        aside.display()
                    ));
                }
                match usable(state, &path, embedder.model_id(), tell) {
                    Ok(connection) => (connection, None),
                    Err(Failed::Newer(version)) => return Err(newer(&path, version)),
                    Err(Failed::Sqlite(cause)) => return Err(refused(cause)),
                }
            }
            Err(Failed::Sqlite(cause)) if is_read_only(&cause) && path.exists() => {
                let why = refused(cause).to_string();
                (as_it_is(&path).map_err(&refused)?, Some(why))
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
    tell: &mut dyn FnMut(String),
) -> Result<Connection, Failed> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // Made by us and not by SQLite, so that no one else may read it.
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
    // On disk when a change is done: what waits for the store is removed then.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // What is forgotten is written over.
    connection.pragma_update(None, "secure_delete", true)?;
    if version < schema::VERSION {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let was_empty = schema::prepare(&mut connection, model)?;
        if was_empty && quarantine::note_begun(state, path) {
            tell(format!(
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
    // Else SQLite checks the values before it plans, and plans anew for each: FTS5 asks a few times for every word.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn as_it_is(path: &Path) -> rusqlite::Result<Connection> {
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

/// SQLite would wait for the other end of a pipe.
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

/// SQLite opens a file that may not be written to be read, and then begins a change of it without a word.
fn must_not_be_read_only(connection: &Connection) -> rusqlite::Result<()> {
    if !connection.is_readonly("main")? {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY),
        Some("it is only to be read".to_owned()),
    ))
}

/// Fails if nothing can be written now; another writer is waited for as long as the connection waits for one.
pub(super) fn must_be_writable(connection: &Connection) -> rusqlite::Result<()> {
    must_not_be_read_only(connection)?;
    connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")
}
