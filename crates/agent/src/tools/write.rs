//! `Write`: a whole file, new or in the place of another.

use std::fs;

use tenter_contract::ToolKind;

use super::files;
use super::keys::{Form, Given, Key};
use super::lines::counted_lines;
use super::own::Own;
use super::ran::{Change, Ran, Shown};
use super::workplace::{Knowledge, Workplace};

const KEYS: &[Key] = &[
    Key::needed("file_path", Form::Name, "The file; a relative path starts at the current folder."),
    Key::needed("content", Form::Text, "All that is to be in it."),
];

/// The tool.
pub(super) const WRITE: Own = Own {
    name: "Write",
    kind: ToolKind::Write,
    description: "Writes a whole file; folders that are missing are made, and what was in the file is gone. To change a part of \
         a file use `Edit`.",
    keys: KEYS,
    alone: true,
    run: write,
};

fn write(given: &Given<'_>, at: &Workplace, _: &dyn Fn() -> bool) -> Result<Ran, String> {
    let path = at.path(given.needed("file_path"));
    let shown = at.shown(&path);
    let content = given.needed("content").as_bytes();
    let target = files::target(&path).map_err(|error| format!("`{shown}` cannot be written: {error}."))?;
    let before = files::writable(at, &target)?;
    // What is too large to be compared was not read as a whole either.
    let old = before.as_ref().and_then(|_| files::whole(at, &target).ok());
    if let Some(old) = &old
        && at.knowledge(&target, old) == Knowledge::Stale
    {
        return Err(changed_since(&shown));
    }
    let unwritten = |error: std::io::Error| format!("`{shown}` cannot be written: {error}.");
    if let (None, Some(folder)) = (&before, target.parent()) {
        fs::create_dir_all(folder).map_err(unwritten)?;
    }
    files::replace(&target, before.as_ref(), content).map_err(unwritten)?;
    at.remember(&target, content);
    let change = Change::of(&path, &shown, before.as_ref().map(|_| old.as_deref().unwrap_or(b"\0")), content);
    let lines = counted_lines(given.needed("content").lines().count() as u64);
    let said = if change.created {
        format!("Created `{shown}` with {lines}.")
    } else if old.as_deref() == Some(content) {
        format!("Wrote `{shown}` with {lines}, which it had before.")
    } else {
        format!("Overwrote `{shown}` with {lines} ({}).", change.counts())
    };
    Ok(Ran::done(said, Shown::Change(change)))
}

/// What is said of a file that somebody else has changed.
pub(super) fn changed_since(shown: &str) -> String {
    format!("`{shown}` was changed since you last read or wrote it. Read it again, then change it.")
}
