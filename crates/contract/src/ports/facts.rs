//! Finds facts about the place of an event.

use crate::{Facts, WantedFacts};

/// Finds facts.
///
/// Duties: read only what is wanted; start no process; take a bounded time. An unknown fact is left out, except that
/// a search which takes too long counts as successful, because an extra run of a hook is safer than a missing one.
pub trait FactFinder: Send + Sync {
    /// Finds the wanted facts, seen from the project root.
    fn find(&self, wanted: &WantedFacts, project_root: Option<&str>) -> Facts;

    /// A fingerprint of these files, given as paths and globs from the project root. `None` if there are too many,
    /// or one cannot be read.
    fn fingerprint(&self, files: &[String], project_root: Option<&str>) -> Option<String>;
}
