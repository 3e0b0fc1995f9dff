//! Expands paths and globs to files.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::Layer;

use crate::builtin::display::on_one_line;
use crate::search::{Start, is_glob, search};

/// The most files of a session.
const MOST_FILES: usize = 50;
const LONGEST: usize = 400;
/// Folders of version control and of installed or built files.
const SKIPPED: [&str; 7] = [".git", "node_modules", "target", "__pycache__", ".venv", "venv", ".tox"];

/// A file for the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// Its path with links resolved.
    pub path: PathBuf,
    /// The path for people and agents, on one line: relative to the project root if possible.
    pub shown: String,
    /// Its size.
    pub bytes: u64,
}

/// A path or glob that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The path or glob as it is written, or the file.
    pub name: String,
    /// The reason.
    pub why: Why,
}

/// Why a file is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It does not exist.
    Missing,
    /// It is outside of the project, and only an absolute path of the user may leave it.
    Outside,
    /// A pipe or a device, which may have no end.
    NotAFile,
    /// It cannot be read.
    Unreadable(String),
    /// Its bytes are no text.
    NotText,
    /// There are too many names to search.
    TooWide,
    /// This many files are beyond the limit.
    TooMany(usize),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is not there"),
            Self::Outside => f.write_str("leads out of the project"),
            Self::NotAFile => f.write_str("is no plain file"),
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::NotText => f.write_str("is not a text"),
            Self::TooWide => f.write_str("has too many names to search; write a narrower one"),
            Self::TooMany(1) => write!(f, "comes after the first {MOST_FILES} files"),
            Self::TooMany(more) => {
                write!(f, "and {} more files come after the first {MOST_FILES}", more - 1)
            }
        }
    }
}

/// Finds the files. Relative paths begin at the project root.
pub(super) fn expand(
    wanted: &[&str],
    layer: Layer,
    root: Option<&Path>,
    home: Option<&Path>,
) -> (Vec<ContextFile>, Vec<LeftOut>) {
    let real_root = root.and_then(|root| root.canonicalize().ok());
    let mut found =
        Expansion { root: real_root.as_deref(), named: root, files: Vec::new(), left_out: Vec::new() };
    for name in wanted {
        let start = Start { root, home, skipped: &SKIPPED };
        if is_absolute(name) && matches!(layer, Layer::Project | Layer::Local) {
            found.leave(name, Why::Outside);
        } else {
            found.add(name, &start);
        }
    }
    let Expansion { mut files, mut left_out, .. } = found;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup();
    if let Some(first) = files.get(MOST_FILES) {
        let why = Why::TooMany(files.len() - MOST_FILES);
        left_out.push(LeftOut { name: first.shown.clone(), why });
        files.truncate(MOST_FILES);
    }
    (files, left_out)
}

/// Whether a path is absolute or begins at the home.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~'])
}

struct Expansion<'r> {
    /// The project with links resolved, and as it is named.
    root: Option<&'r Path>,
    named: Option<&'r Path>,
    files: Vec<ContextFile>,
    left_out: Vec<LeftOut>,
}

impl Expansion<'_> {
    fn add(&mut self, name: &str, start: &Start<'_>) {
        let mut hits = Vec::new();
        let searched = search(name, start, &mut |path| {
            hits.push(path.to_owned());
            false
        });
        if searched.is_none() {
            return self.leave(name, Why::TooWide);
        }
        if is_glob(name) {
            // Folders that match a glob only lead to files.
            hits.retain(|path| !path.is_dir());
        } else if hits.is_empty() {
            return self.leave(name, Why::Missing);
        }
        for path in hits {
            if path.is_dir() {
                self.folder(&path, is_absolute(name));
            } else {
                self.take(&path, is_absolute(name));
            }
        }
    }

    /// Adds the files directly in a folder.
    fn folder(&mut self, folder: &Path, whole: bool) {
        let Ok(entries) = fs::read_dir(folder) else {
            return self.leave_path(folder, Why::Unreadable("no access".to_owned()));
        };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| !path.is_dir()) {
            self.take(&path, whole);
        }
    }

    fn take(&mut self, path: &Path, whole: bool) {
        let found = path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real)));
        let (about, real) = match found {
            Ok(found) => found,
            Err(error) => return self.leave_path(path, Why::Unreadable(error.to_string())),
        };
        let below = self.root.and_then(|root| real.strip_prefix(root).ok());
        if !whole && below.is_none() {
            return self.leave_path(path, Why::Outside);
        }
        if !about.is_file() {
            return self.leave_path(path, Why::NotAFile);
        }
        let shown = on_one_line(&below.unwrap_or(&real).to_string_lossy(), LONGEST);
        self.files.push(ContextFile { shown, bytes: about.len(), path: real });
    }

    fn leave_path(&mut self, path: &Path, why: Why) {
        let below = self.named.and_then(|root| path.strip_prefix(root).ok());
        self.leave(&below.unwrap_or(path).to_string_lossy(), why);
    }

    fn leave(&mut self, name: &str, why: Why) {
        let left = LeftOut { name: on_one_line(name, LONGEST), why };
        if !self.left_out.contains(&left) {
            self.left_out.push(left);
        }
    }
}
