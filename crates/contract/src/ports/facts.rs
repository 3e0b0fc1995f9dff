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
}
