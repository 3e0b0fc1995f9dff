//! Finds the files that match a path or a glob, within bounds.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::Pattern;

/// The most names that one search reads.
pub const MOST_NAMES: usize = 20_000;

/// The start and the exclusions of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'s> {
    /// The start of relative paths.
    pub root: Option<&'s Path>,
    /// The start of paths with `~/`.
    pub home: Option<&'s Path>,
    /// Folders that `**` does not enter.
    pub skipped: &'s [&'s str],
}

/// Passes matches to `seen` until it returns true, and returns whether it did; `None` if there are too many names.
/// Links are not followed downwards.
pub fn search(wanted: &str, start: &Start<'_>, seen: &mut dyn FnMut(&Path) -> bool) -> Option<bool> {
    let (folder, rest) = match (wanted.strip_prefix("~/"), wanted.strip_prefix('/')) {
        (Some(rest), _) => (start.home.map(Path::to_owned), rest),
        (None, Some(rest)) => (Some(PathBuf::from("/")), rest),
        (None, None) => (start.root.map(Path::to_owned), wanted),
    };
    let Some(folder) = folder else { return Some(false) };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    let mut search = Search { names_left: MOST_NAMES, skipped: start.skipped, seen };
    let enough = search.matches(&folder, &parts);
    (search.names_left > 0).then_some(enough)
}

/// Whether a path has wildcards.
pub fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

struct Search<'s> {
    names_left: usize,
    skipped: &'s [&'s str],
    seen: &'s mut dyn FnMut(&Path) -> bool,
}

impl Search<'_> {
    fn matches(&mut self, folder: &Path, parts: &[&str]) -> bool {
        match parts {
            [] => folder.exists() && (self.seen)(folder),
            ["**", rest @ ..] => {
                !rest.is_empty() && self.matches(folder, rest)
                    || self.any(folder, |search, name, entry| {
                        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                        rest.is_empty() && (search.seen)(&entry.path())
                            || is_folder
                                && !search.skipped.contains(&name)
                                && search.matches(&entry.path(), parts)
                    })
            }
            [part, rest @ ..] if !is_glob(part) => self.matches(&folder.join(part), rest),
            [part, rest @ ..] => {
                let Ok(pattern) = Pattern::parse(part) else { return false };
                self.any(folder, |search, name, entry| {
                    pattern.matches(name) && search.matches(&entry.path(), rest)
                })
            }
        }
    }

    /// Whether the predicate is true for an entry of a folder.
    fn any(
        &mut self,
        folder: &Path,
        mut is_match: impl FnMut(&mut Self, &str, &fs::DirEntry) -> bool,
    ) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        for entry in entries.flatten() {
            if self.names_left == 0 {
                return false;
            }
            self.names_left -= 1;
            if is_match(self, &entry.file_name().to_string_lossy(), &entry) {
                return true;
            }
        }
        false
    }
}
