//! What SQLite's refusals mean for people.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::error::MemoryError;

/// Says what happened to the store, and what to do about it.
pub(crate) fn refusal(path: &Path) -> impl Fn(rusqlite::Error) -> MemoryError + use<> {
    let path = path.display().to_string();
    move |cause| {
        let (what, next) = match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                ("is locked by another process", "it is tried again the next time")
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                ("is damaged", "save what can be read with `tenter memory export`, then move the file away")
            }
            Some(ErrorCode::ReadOnly) => {
                ("cannot be written", "make the file and its folder writable for you")
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                ("cannot be opened", "make the file and its folder readable and writable for you")
            }
            _ if is_full(&cause) => ("finds no room on the disk", "make some"),
            _ => ("cannot be used", "`tenter doctor` looks at the folder"),
        };
        MemoryError::internal(format!("the memory `{path}` {what} ({cause}); {next}"))
    }
}

/// Whether the file is no database any more.
pub(super) fn is_damage(cause: &rusqlite::Error) -> bool {
    matches!(cause.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Whether the file, or its folder, is only to be read.
pub(super) fn is_read_only(cause: &rusqlite::Error) -> bool {
    let refused = matches!(
        cause.sqlite_error_code(),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
    );
    refused || is_full(cause)
}

/// Whether there is no room on the disk. The index that is shared with other processes needs some before anything can
/// be read.
fn is_full(cause: &rusqlite::Error) -> bool {
    let no_index = [rusqlite::ffi::SQLITE_IOERR_SHMSIZE, rusqlite::ffi::SQLITE_IOERR_SHMOPEN];
    cause.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || cause.sqlite_error().is_some_and(|error| no_index.contains(&error.extended_code))
}
