//! Files that `tenter memory import` cannot import, and what to type instead.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tenter_memory::Imported;

use crate::Opened;
use tenter_console::error::CliError;
use tenter_console::listing::{counted, typed};

/// The first bytes of an SQLite database.
const DATABASE: &[u8] = b"SQLite format 3\0";

pub(crate) fn database_in(folder: &Path) -> Option<PathBuf> {
    ["memory.db", "memory/memory.db"].map(|name| folder.join(name)).into_iter().find(|path| path.is_file())
}

pub(crate) fn refuse_database(opened: &Opened, path: &Path, first: &[u8]) -> Result<(), CliError> {
    if first.starts_with(DATABASE) { Err(database(opened, path)) } else { Ok(()) }
}

/// A database must be restored as a whole. The files next to the current one must go, because SQLite would apply them
/// to the restored one.
pub(crate) fn database(opened: &Opened, path: &Path) -> CliError {
    let place = opened.memory.path();
    let is_this_one = path.canonicalize().ok().is_some_and(|path| place.canonicalize().ok() == Some(path));
    let folder = place.parent().map(|folder| typed(&folder.to_string_lossy())).unwrap_or_default();
    let (detail, hint) = if is_this_one {
        let hint = "there is nothing to import; `tenter memory stats` says what is in it".to_owned();
        ("it is the memory that is in use", hint)
    } else {
        let hint = format!(
            "to put a copy of the memory back in the place of the one that is there, type while no agent runs: \
             `cd {folder} && rm -f memory.db-wal memory.db-shm *.cards && cp {} memory.db`; what was learned since \
             the copy was made comes along if you `tenter memory export --all-projects FILE` before and import that \
             FILE after",
            typed(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy()),
        );
        ("it is a database, and no export", hint)
    };
    CliError::bad_input(path.display().to_string(), detail.to_owned(), hint)
}

/// Refuses a file that is neither an export nor a journal: an error per line would help no one.
pub(crate) fn refuse_other(path: &Path, first: &[u8], imported: &Imported) -> Result<(), CliError> {
    let begins_like_one = serde_json::from_slice::<Map<String, Value>>(first)
        .is_ok_and(|fields| crate::memory::import::is_of_export(&fields) || fields.contains_key("id"));
    let nothing = imported.taken + imported.known + imported.forgotten == 0;
    if begins_like_one || !nothing || imported.refused.is_empty() {
        return Ok(());
    }
    let lines = counted(imported.refused.len() as u64, "line");
    Err(CliError::bad_input(
        path.display().to_string(),
        format!("it is no export and no journal; nothing was taken over of its {lines}"),
        crate::memory::import::WANTED.to_owned(),
    ))
}
