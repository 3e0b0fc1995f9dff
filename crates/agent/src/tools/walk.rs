//! All files of a folder, as far as the project does not ignore them, within bounds.

use std::path::Path;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use ignore::types::Types;

/// A walk that has seen so many files has gone far enough.
const MOST_FILES: usize = 300_000;
/// And so has one that took so long.
const LONGEST: Duration = Duration::from_secs(30);

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walked {
    /// Everything was seen.
    All,
    /// Whoever looked had enough.
    Enough,
    /// There are more than [`MOST_FILES`].
    TooMany,
    /// It would have taken longer than [`LONGEST`].
    TooLong,
    /// Somebody wanted it to end.
    Stopped,
}

impl Walked {
    /// What the model is told if something was not seen.
    pub(super) fn note(self) -> Option<String> {
        match self {
            Self::All | Self::Enough => None,
            Self::TooMany => Some(format!(
                "[Only the first {MOST_FILES} files were looked at. Give a `path` further down.]"
            )),
            Self::TooLong => {
                let seconds = LONGEST.as_secs();
                Some(format!("[Given up after {seconds} s, so this is not all. Give a `path` further down.]"))
            }
            Self::Stopped => Some("[Stopped by the user, so this is not all.]".to_owned()),
        }
    }
}

/// Shows every file below a folder, in the order of their names, until somebody has enough (`false`).
///
/// Hidden files are seen; what git ignores, git's own folder and what is behind links is not. Only regular files and
/// links come: whatever else there is may never end.
pub(super) fn files(
    folder: &Path,
    types: Option<Types>,
    stop: &dyn Fn() -> bool,
    see: &mut dyn FnMut(&Path) -> bool,
) -> Walked {
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
            return Walked::Stopped;
        }
        if Instant::now() > until {
            return Walked::TooLong;
        }
        // A folder that may not be read is nothing that the model can do anything about.
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink()) {
            continue;
        }
        seen += 1;
        if seen > MOST_FILES {
            return Walked::TooMany;
        }
        if !see(entry.path()) {
            return Walked::Enough;
        }
    }
    Walked::All
}
