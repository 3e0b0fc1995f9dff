//! Visits the files of a folder that git does not ignore, within limits.

use std::path::Path;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use ignore::types::Types;

const MOST_FILES: usize = 300_000;
const LONGEST: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    All,
    Enough,
    TooMany,
    TooLong,
    Stopped,
}

impl WalkEnd {
    /// The note for an incomplete walk.
    pub(super) fn note(self) -> Option<String> {
        match self {
            Self::All | Self::Enough => None,
            Self::TooMany => {
                Some(format!("[Only the first {MOST_FILES} files were searched. Set `path` to a subfolder.]"))
            }
            Self::TooLong => Some(format!(
                "[Stopped after {} s, so the result is incomplete. Set `path` to a subfolder.]",
                LONGEST.as_secs()
            )),
            Self::Stopped => Some("[Stopped by the user, so the result is incomplete.]".to_owned()),
        }
    }
}

/// Visits every file below a folder, sorted by name, until `visit` returns false. Hidden files are included; ignored
/// files, `.git` and targets of folder links are not. Only regular files and links are visited, because others may
/// block.
pub(super) fn files(
    folder: &Path,
    types: Option<Types>,
    stop: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&Path) -> bool,
) -> WalkEnd {
    let until = Instant::now() + LONGEST;
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false).require_git(false).sort_by_file_name(std::cmp::Ord::cmp);
    walk.filter_entry(|entry| entry.file_name() != ".git" || entry.depth() == 0);
    if let Some(types) = types {
        walk.types(types);
    }
    let mut seen = 0;
    for entry in walk.build() {
        if stop() {
            return WalkEnd::Stopped;
        }
        if Instant::now() > until {
            return WalkEnd::TooLong;
        }
        // Unreadable folders are skipped.
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink()) {
            continue;
        }
        seen += 1;
        if seen > MOST_FILES {
            return WalkEnd::TooMany;
        }
        if !visit(entry.path()) {
            return WalkEnd::Enough;
        }
    }
    WalkEnd::All
}
