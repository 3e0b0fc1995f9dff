//! The files of the trail, and errors with their paths.

use std::io;
use std::path::{Path, PathBuf};

use tenter_contract::ports::TrailError;

use super::seal::Key;
use super::{secret, witness};
use crate::StateFolder;
use crate::place::names_in;

/// The prefix of folders with damaged trails; [`crate::audit::verify`] reports each of them.
pub(crate) const DAMAGED: &str = "damaged-";
/// The prefix of folders with the head of records that a power cut took.
pub(crate) const LOST: &str = "lost-";
/// The prefix of files with torn lines.
pub(crate) const TORN: &str = "torn-";
/// The prefix of full files; the number of their first record and [`LINES`] follow.
const FULL: &str = "trail-";
const LINES: &str = ".jsonl";

/// The paths of one trail, computed once per trail and not once per append.
#[derive(Clone, Debug)]
pub(crate) struct AuditFiles {
    pub(crate) state: StateFolder,
    pub(crate) folder: PathBuf,
    pub(crate) trail: PathBuf,
    pub(crate) head: PathBuf,
    pub(crate) key: PathBuf,
    /// A copy of the head in another folder.
    pub(crate) witness: PathBuf,
    /// The folder of spill files. It exists only while there are any.
    pub(crate) spilled: PathBuf,
}

/// A full file, and the number of its first record.
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

    /// The files of a quarantined trail, with the present key.
    pub(crate) fn quarantined(state: &StateFolder, folder: &Path) -> Self {
        Self {
            trail: folder.join("trail.jsonl"),
            head: folder.join("head"),
            spilled: folder.join("spilled"),
            folder: folder.to_path_buf(),
            ..Self::new(state)
        }
    }

    /// The key of macs, and whether it was just created.
    pub(crate) fn key_or_new(&self) -> Result<(Key, bool), TrailError> {
        let secret = secret::read_or_create(&self.state, &self.key).map_err(unusable(&self.key))?;
        Ok((Key::new(secret.bytes), secret.is_new))
    }

    /// The path of a full file, by the number of its first record.
    pub(crate) fn full(&self, first: u64) -> PathBuf {
        self.folder.join(format!("{FULL}{first}{LINES}"))
    }

    /// The full files, in the order of their records.
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

    /// The error of a trail that does not match its head.
    pub(crate) fn damaged(&self, detail: String) -> TrailError {
        TrailError::Damaged { path: self.trail.display().to_string(), detail }
    }
}

/// Adds the path to an error of the system.
pub(crate) fn unusable(path: &Path) -> impl FnOnce(io::Error) -> TrailError {
    move |cause| TrailError::Unusable { path: path.display().to_string(), cause }
}

/// The name of a file, for people.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
