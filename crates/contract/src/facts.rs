//! What conditions ask of the place where an event happened, beyond what the event says itself.

use crate::{CanonicalPath, PathQuery};

/// What is known of the place, as far as some hook asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Facts {
    /// The branch that is checked out there; none outside a repository and on no branch.
    pub branch: Option<String>,
    /// The variables that were asked for and are set.
    pub variables: Vec<(String, String)>,
    /// Of the paths and globs that were asked for, those that something fits.
    pub files: Vec<String>,
    /// The paths of the call with all of their names.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub paths: Vec<CanonicalPath>,
    /// The working folders of the agent and of the call with all of their names.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub folders: Vec<CanonicalPath>,
}

/// What hooks want to know of the place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedFacts {
    /// Whether the branch.
    pub branch: bool,
    /// Which variables.
    pub variables: Vec<String>,
    /// Whether these paths and globs are there, seen from the project root.
    pub files: Vec<String>,
    /// The names of the call's paths.
    pub paths: Option<PathQuery>,
    /// The names of the working folders.
    pub folders: Option<PathQuery>,
}

impl WantedFacts {
    /// True if nobody asks anything, as at nearly every event.
    pub fn is_empty(&self) -> bool {
        !self.branch
            && self.variables.is_empty()
            && self.files.is_empty()
            && self.paths.is_none()
            && self.folders.is_none()
    }
}
