//! Turns SQLite errors into messages for users.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::error::MemoryError;

pub(crate) fn refusal(path: &Path) -> impl Fn(rusqlite::Error) -> MemoryError + use<> {
    let file = path.to_owned();
    move |cause| {
        let path = file.display();
        let (what, next) = match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                ("is locked by another process", "it can be used again when that one is done")
            }
            _ if is_damage(&cause) => ("is damaged", "`tenter memory repair` saves what can be read"),
            Some(ErrorCode::ReadOnly) => {
                ("cannot be written", "make the file and its folder writable for you")
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                ("cannot be opened", "make the file and its folder readable and writable for you")
            }
            _ if is_lack_of_room(&file, &cause) => ("finds no room on the disk", "make some"),
            _ => ("cannot be used", "run `tenter doctor` to check the folder"),
        };
        MemoryError::internal(format!("the memory `{path}` {what} ({cause})")).with_hint(next)
    }
}

pub(super) fn is_damage(cause: &rusqlite::Error) -> bool {
    match cause {
        // A value that tenter did not write.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => true,
        cause => {
            matches!(cause.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
        }
    }
}

/// Whether the file can be read but not written, or the disk is full.
pub(super) fn is_read_only(cause: &rusqlite::Error) -> bool {
    matches!(
        cause.sqlite_error_code(),
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
        )
    )
}

pub(super) fn is_lack_of_room(path: &Path, cause: &rusqlite::Error) -> bool {
    match cause.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => true,
        Some(ErrorCode::SystemIoFailure) => {
            let probe = path.with_file_name(format!("room-{}", std::process::id()));
            let written = std::fs::write(&probe, [0; 4096]);
            let _ = std::fs::remove_file(&probe);
            written.is_err_and(|cause| cause.kind() == std::io::ErrorKind::StorageFull)
        }
        _ => false,
    }
}
