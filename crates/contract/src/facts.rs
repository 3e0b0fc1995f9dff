//! Facts about the place of an event that conditions of hooks need.

use crate::{CanonicalPath, PathQuery};

/// The facts that hooks asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Facts {
    /// The branch that is checked out there; none outside a repository and on no branch.
    pub branch: Option<String>,
    /// The variables that were asked for and are set.
    pub variables: Vec<(String, String)>,
    /// The paths and globs that match an existing file.
    pub files: Vec<String>,
    /// The paths of the call with all of their names.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub paths: Vec<CanonicalPath>,
    /// The working folders of the agent and of the call with all of their names.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub folders: Vec<CanonicalPath>,
}

/// The facts that hooks ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedFacts {
    /// Whether to find the branch.
    pub branch: bool,
    /// The variables to read.
    pub variables: Vec<String>,
    /// Whether these paths and globs are there, seen from the project root.
    pub files: Vec<String>,
    /// The names of the call's paths.
    pub paths: Option<PathQuery>,
    /// The names of the working folders.
    pub folders: Option<PathQuery>,
}

impl WantedFacts {
    /// Whether no hook asks for a fact, as at nearly every event.
    pub fn is_empty(&self) -> bool {
        !self.branch
            && self.variables.is_empty()
            && self.files.is_empty()
            && self.paths.is_none()
            && self.folders.is_none()
    }
}
