//! The names in the folder of the trail, and errors that carry them.

use std::io;
use std::path::{Path, PathBuf};

use tenter_contract::ports::TrailError;

use super::seal::Key;
use super::{secret, witness};
use crate::StateFolder;

/// Folders of damaged trails begin with this; [`crate::audit::verify`] reports each of them.
pub(crate) const DAMAGED: &str = "damaged-";
/// Folders with the head of records that a power cut took begin with this.
pub(crate) const LOST: &str = "lost-";
/// Files with half lines begin with this.
pub(crate) const TORN: &str = "torn-";
/// Files that became full begin with this; the number of their first record and [`LINES`] follow.
const FULL: &str = "trail-";
const LINES: &str = ".jsonl";

/// The paths of one trail, put together once per trail and not once per append.
#[derive(Clone, Debug)]
pub(crate) struct AuditFiles {
    pub(crate) state: StateFolder,
    pub(crate) folder: PathBuf,
    pub(crate) trail: PathBuf,
    pub(crate) head: PathBuf,
    pub(crate) key: PathBuf,
    /// A copy of the head in another folder.
    pub(crate) witness: PathBuf,
    /// Where spill files lie. It is there only while there are any.
    pub(crate) spilled: PathBuf,
}

/// A file that became full, and the number of its first record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Full {
    pub(crate) first: u64,
    pub(crate) path: PathBuf,
}

impl AuditFiles {
    pub(crate) fn new(state: &StateFolder) -> Self {
        let folder = state.path().join("audit");
        Self {
            state: state.clone(),
            trail: folder.join("trail.jsonl"),
            head: folder.join("head"),
            key: folder.join("key"),
            witness: witness::near(state),
            spilled: folder.join("spilled"),
            folder,
        }
    }

    /// A trail that was quarantined: its own files, with the key that is used today.
    pub(crate) fn quarantined(state: &StateFolder, folder: &Path) -> Self {
        let today = Self::new(state);
        Self {
            trail: folder.join("trail.jsonl"),
            head: folder.join("head"),
            spilled: folder.join("spilled"),
            folder: folder.to_path_buf(),
            ..today
        }
    }

    /// The key of macs, made if there is none, and whether it was.
    pub(crate) fn key_or_new(&self) -> Result<(Key, bool), TrailError> {
        let secret = secret::read_or_make(&self.state, &self.key).map_err(unusable(&self.key))?;
        Ok((Key::new(secret.bytes), secret.is_new))
    }

    /// The name a full file has, by the number of its first record.
    pub(crate) fn full(&self, first: u64) -> PathBuf {
        self.folder.join(format!("{FULL}{first}{LINES}"))
    }

    /// The files that became full, in the order of their records.
    pub(crate) fn all_full(&self) -> Result<Vec<Full>, TrailError> {
        let mut found: Vec<Full> = names_in(&self.folder)
            .map_err(unusable(&self.folder))?
            .into_iter()
            .filter_map(|name| {
                let first = name.strip_prefix(FULL)?.strip_suffix(LINES)?.parse().ok()?;
                Some(Full { first, path: self.folder.join(name) })
            })
            .collect();
        found.sort();
        Ok(found)
    }

    /// The trail does not look as its head says.
    pub(crate) fn damaged(&self, detail: String) -> TrailError {
        TrailError::Damaged { path: self.trail.display().to_string(), detail }
    }
}

/// Puts the path to what the system says.
pub(crate) fn unusable(path: &Path) -> impl FnOnce(io::Error) -> TrailError {
    move |cause| TrailError::Unusable { path: path.display().to_string(), cause }
}

/// The names in a folder, sorted; none if there is no such folder. Names that are no text are none of ours.
pub(crate) fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// The name of a file, for people.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
