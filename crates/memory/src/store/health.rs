//! Checks the database without changing it.

use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::opening::{PATIENCE, must_be_plain, must_be_writable};
use super::refusal::{is_damage, is_lack_of_room, is_read_only, refusal};
use super::schema;

/// The condition of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// There is none yet.
    Missing,
    /// It is whole, as far as there was time to check.
    Whole {
        /// Whether there was time to check all of it.
        is_fully_checked: bool,
    },
    /// It is damaged.
    Damaged(String),
    /// A later tenter has written it, in this form.
    Newer(i64),
    /// It can be read and not written.
    ReadOnly(String),
    /// Another process is writing, and has not stopped in time.
    Locked,
    /// There is no room on the disk.
    Full,
    /// It cannot be opened.
    Unusable(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckDepth {
    /// For so long at most.
    Quick(Duration),
    /// Until the end, with everything that is compared with something else.
    Thorough,
}

pub(crate) fn check(path: &Path, how: CheckDepth) -> Condition {
    // The next process that opens an empty file creates the database in it.
    if path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) || !path.exists() {
        return Condition::Missing;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    must_be_plain(path)
        .and_then(|()| Connection::open_with_flags(path, flags))
        .and_then(|connection| check_open(&connection, how))
        .unwrap_or_else(|cause| classify(path, cause))
}

fn check_open(connection: &Connection, how: CheckDepth) -> rusqlite::Result<Condition> {
    connection.busy_timeout(PATIENCE)?;
    let version = schema::version(connection)?;
    if version > schema::VERSION {
        return Ok(Condition::Newer(version));
    }
    let is_fully_checked = match how {
        CheckDepth::Thorough => whole(connection, "PRAGMA integrity_check(1)")?,
        CheckDepth::Quick(time) => in_time(connection, time)?,
    };
    let is_fully_checked = match is_fully_checked {
        CheckResult::Whole => true,
        CheckResult::NoTime => false,
        CheckResult::Damaged(why) => return Ok(Condition::Damaged(why)),
    };
    must_be_writable(connection)?;
    Ok(Condition::Whole { is_fully_checked })
}

enum CheckResult {
    Whole,
    Damaged(String),
    NoTime,
}

fn whole(connection: &Connection, check: &str) -> rusqlite::Result<CheckResult> {
    let verbatim: String = connection.query_row(check, [], |row| row.get(0))?;
    Ok(if verbatim == "ok" { CheckResult::Whole } else { CheckResult::Damaged(verbatim) })
}

/// Checks within a time limit.
fn in_time(connection: &Connection, time: Duration) -> rusqlite::Result<CheckResult> {
    let interrupt = connection.get_interrupt_handle();
    let (done, waits) = channel::<()>();
    let found = thread::scope(|scope| {
        scope.spawn(move || {
            if waits.recv_timeout(time).is_err() {
                interrupt.interrupt();
            }
        });
        let found = whole(connection, "PRAGMA quick_check(1)");
        let _ = done.send(());
        found
    });
    match found {
        Err(cause) if cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            Ok(CheckResult::NoTime)
        }
        found => found,
    }
}

fn classify(path: &Path, cause: rusqlite::Error) -> Condition {
    match cause.sqlite_error_code() {
        _ if is_damage(&cause) => Condition::Damaged(cause.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Condition::Locked,
        _ if is_lack_of_room(path, &cause) => Condition::Full,
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
            Condition::Unusable(refusal(path)(cause).to_string())
        }
        _ if is_read_only(&cause) => Condition::ReadOnly(refusal(path)(cause).to_string()),
        _ => Condition::Unusable(refusal(path)(cause).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mode of a file does not stop everybody; SQLite is reported that this one is only to be read.
    #[test]
    fn a_database_that_may_only_be_read_is_not_said_to_be_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let mut connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        schema::prepare(&mut connection, "model").unwrap();
        for (flags, well) in
            [(OpenFlags::SQLITE_OPEN_READ_WRITE, true), (OpenFlags::SQLITE_OPEN_READ_ONLY, false)]
        {
            let opened = Connection::open_with_flags(&path, flags).unwrap();
            let found =
                check_open(&opened, CheckDepth::Thorough).unwrap_or_else(|cause| classify(&path, cause));
            assert_eq!(found == Condition::Whole { is_fully_checked: true }, well, "{found:?}");
            assert_eq!(matches!(found, Condition::ReadOnly(_)), !well, "{found:?}");
        }
    }
}
