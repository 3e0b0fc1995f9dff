//! Kept copies of the files that grant something: rules, session grants, session switches and trust.
//!
//! tenter writes these files itself and keeps a copy of each. A file without a copy, or with another text, was written
//! by another program, such as an agent: it grants nothing until a person accepts it (`tenter hooks accept`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::clock;
use crate::place::read_plain;
use crate::{GoodVersion, GoodVersions, KeptVersion, StateFolder};

/// The copies of one kind of files. Creating a value touches no file.
#[derive(Clone, Debug)]
pub struct GrantedFiles {
    copies: GoodVersions,
}

/// A file that is not as tenter wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedChange {
    /// The file.
    pub path: PathBuf,
    /// The text that tenter wrote; none if it wrote none.
    pub written: Option<String>,
    /// The text on disk; none if the file is gone or cannot be read.
    pub found: Option<String>,
    /// Where its copy is kept.
    pub copies: PathBuf,
}

impl GrantedChange {
    /// Accepts the file as it was found.
    pub fn accept(&self, state: &StateFolder) -> io::Result<()> {
        let files = GrantedFiles::new(state, self.copies.clone());
        match &self.found {
            Some(text) => files.keep(&self.path, text.as_bytes()),
            None => files.forget(&self.path),
        }
    }
}

impl GrantedFiles {
    /// The copies in this folder.
    pub(crate) fn new(state: &StateFolder, folder: PathBuf) -> Self {
        Self { copies: GoodVersions::in_folder(state, folder) }
    }

    /// The folder of copies of files outside of sessions.
    pub(crate) fn folder(state: &StateFolder, kind: &str) -> PathBuf {
        state.path().join("granted").join(kind)
    }

    /// Keeps a copy of a file that tenter writes.
    pub(crate) fn keep(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        self.copies.keep(&GoodVersion::new(path.to_string_lossy(), text, clock::now().unix_ms))
    }

    /// Forgets the copy of a file that tenter removes.
    pub(crate) fn forget(&self, path: &Path) -> io::Result<()> {
        self.copies.forget(&path.to_string_lossy())
    }

    /// The text that tenter wrote into a file.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        match self.copies.find(&path.to_string_lossy()) {
            KeptVersion::Good(version) => Some(version.text),
            KeptVersion::Unknown | KeptVersion::Damaged(_) => None,
        }
    }

    /// Whether tenter wrote these bytes into the file.
    pub(crate) fn has(&self, path: &Path, bytes: &[u8]) -> bool {
        self.text(path).is_some_and(|text| text.as_bytes() == bytes)
    }

    /// All files that tenter wrote, with their texts, by path.
    pub(crate) fn all(&self) -> Vec<(PathBuf, String)> {
        self.copies.all().into_iter().map(|version| (PathBuf::from(version.path), version.text)).collect()
    }

    /// The files of a folder that are not as tenter wrote them, and those that are gone.
    pub(crate) fn changes(&self, folder: &Path, is_file: impl Fn(&Path) -> bool) -> Vec<GrantedChange> {
        let found = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = found.filter(|path| is_file(path)).collect();
        paths.extend(self.all().into_iter().map(|(path, _)| path));
        paths.sort();
        paths.dedup();
        let change = |path: PathBuf| {
            let text = read_plain(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let written = self.text(&path);
            let copies = self.copies.folder().to_path_buf();
            (written != text).then_some(GrantedChange { path, written, found: text, copies })
        };
        paths.into_iter().filter_map(change).collect()
    }
}

pub(crate) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// The notice about a file that grants nothing.
pub(crate) fn notice(path: &Path) -> String {
    format!(
        "{} is not as tenter wrote it, so it does not count; `tenter hooks accept` shows it and takes it over",
        path.display()
    )
}

/// Every file of this state that grants something and is not as tenter wrote it.
pub fn granted_changes(state: &StateFolder) -> Vec<GrantedChange> {
    let mut changes = crate::approvals::changes(state);
    changes.extend(crate::trust::changes(state));
    changes
}
