//! The names in the folder of the trail, and errors that carry them.

use std::io;
use std::path::{Path, PathBuf};

use tenter_contract::ports::TrailError;

use crate::StateFolder;

/// Folders of damaged trails begin with this; [`crate::audit::verify`] reports each of them.
pub(crate) const DAMAGED: &str = "damaged-";
/// Files with half lines begin with this.
pub(crate) const TORN: &str = "torn-";

/// The paths of one trail, put together once per trail and not once per append.
#[derive(Clone, Debug)]
pub(crate) struct AuditFiles {
    pub(crate) state: StateFolder,
    pub(crate) folder: PathBuf,
    pub(crate) trail: PathBuf,
    pub(crate) head: PathBuf,
}

impl AuditFiles {
    pub(crate) fn new(state: &StateFolder) -> Self {
        let folder = state.path().join("audit");
        Self { state: state.clone(), trail: folder.join("trail.jsonl"), head: folder.join("head"), folder }
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
