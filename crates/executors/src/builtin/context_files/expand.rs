//! Which files paths and globs mean here and now.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::Layer;

use crate::builtin::wording::on_one_line;
use crate::search::{Start, is_glob, search};

/// No session begins with more.
const MOST_FILES: usize = 50;
const LONGEST: usize = 400;
/// Version control, and what others wrote and a tool has brought here.
const SKIPPED: [&str; 7] = [".git", "node_modules", "target", "__pycache__", ".venv", "venv", ".tox"];

/// What some paths and globs mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expanded {
    /// Plain files, each once, by path.
    pub(super) files: Vec<ContextFile>,
    /// What is not given, and why.
    pub(super) left_out: Vec<LeftOut>,
}

/// A file for the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// Where it lies, links followed.
    pub path: PathBuf,
    /// The same for people and agents, on one line: from the project root if it lies there.
    pub shown: String,
    /// How large it is.
    pub bytes: u64,
}

/// Something that was asked for and is not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The path or glob as it is written, or the file.
    pub name: String,
    /// Why not.
    pub why: Why,
}

/// Why a file is not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing lies there.
    Missing,
    /// It lies outside of the project, and only a whole path of the user's own reaches there.
    Outside,
    /// A pipe, a device: nothing to read to its end.
    NotAFile,
    /// It cannot be read.
    Unreadable(String),
    /// Its bytes are no text.
    NotText,
    /// There are too many names to look through.
    TooWide,
    /// So many files are beyond the first ones that are given.
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
            Self::TooWide => f.write_str("has too many names to look through; write a narrower one"),
            Self::TooMany(1) => write!(f, "comes after the first {MOST_FILES} files"),
            Self::TooMany(more) => {
                write!(f, "and {} more files come after the first {MOST_FILES}", more - 1)
            }
        }
    }
}

/// Finds the files. Paths that do not say where they begin are meant from the project root.
pub(super) fn expand(wanted: &[&str], layer: Layer, root: Option<&Path>, home: Option<&Path>) -> Expanded {
    let real_root = root.and_then(|root| root.canonicalize().ok());
    let mut found = Found { root: real_root.as_deref(), named: root, expanded: Expanded::default() };
    for name in wanted {
        let start = Start { root, home, skipped: &SKIPPED };
        if is_whole(name) && matches!(layer, Layer::Project | Layer::Local) {
            found.leave(name, Why::Outside);
        } else {
            found.look(name, &start);
        }
    }
    let Expanded { mut files, mut left_out } = found.expanded;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup();
    if let Some(first) = files.get(MOST_FILES) {
        let why = Why::TooMany(files.len() - MOST_FILES);
        left_out.push(LeftOut { name: first.shown.clone(), why });
        files.truncate(MOST_FILES);
    }
    Expanded { files, left_out }
}

/// Whether a path says where it begins.
pub(super) fn is_whole(path: &str) -> bool {
    path.starts_with(['/', '~'])
}

struct Found<'r> {
    /// The project, links followed, and as it is named.
    root: Option<&'r Path>,
    named: Option<&'r Path>,
    expanded: Expanded,
}

impl Found<'_> {
    fn look(&mut self, name: &str, start: &Start<'_>) {
        let mut hits = Vec::new();
        let searched = search(name, start, &mut |path| {
            hits.push(path.to_owned());
            false
        });
        if searched.is_none() {
            return self.leave(name, Why::TooWide);
        }
        if is_glob(name) {
            // Folders that fit a glob are on the way to files that do.
            hits.retain(|path| !path.is_dir());
        } else if hits.is_empty() {
            return self.leave(name, Why::Missing);
        }
        for path in hits {
            if path.is_dir() {
                self.folder(&path, is_whole(name));
            } else {
                self.take(&path, is_whole(name));
            }
        }
    }

    /// The files that lie right in a folder.
    fn folder(&mut self, folder: &Path, whole: bool) {
        let Ok(entries) = fs::read_dir(folder) else {
            return self.leave_path(folder, Why::Unreadable("no access".to_owned()));
        };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| !path.is_dir()) {
            self.take(&path, whole);
        }
    }

    fn take(&mut self, path: &Path, whole: bool) {
        let looked = path.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real)));
        let (about, real) = match looked {
            Ok(looked) => looked,
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
        self.expanded.files.push(ContextFile { shown, bytes: about.len(), path: real });
    }

    fn leave_path(&mut self, path: &Path, why: Why) {
        let below = self.named.and_then(|root| path.strip_prefix(root).ok());
        self.leave(&below.unwrap_or(path).to_string_lossy(), why);
    }

    fn leave(&mut self, name: &str, why: Why) {
        let left = LeftOut { name: on_one_line(name, LONGEST), why };
        if !self.expanded.left_out.contains(&left) {
            self.expanded.left_out.push(left);
        }
    }
}
