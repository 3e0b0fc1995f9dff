//! Between stops 1 and 2: what conditions ask of the place where an event happened.

use crate::{Facts, WantedFacts};

/// Looks at a place.
///
/// Duties: look at nothing that is not wanted; start no process; take a bounded time. What cannot be found out
/// is no fact, except that a search which would take too long counts as successful: a hook is rather asked
/// once too often.
pub trait FactFinder: Send + Sync {
    /// What is wanted, seen from the project root.
    fn find(&self, wanted: &WantedFacts, project_root: Option<&str>) -> Facts;

    /// A text that is another one as soon as one of these files is: paths and globs, seen from the project
    /// root. None if there are too many, or one cannot be read.
    fn fingerprint(&self, files: &[String], project_root: Option<&str>) -> Option<String>;
}
