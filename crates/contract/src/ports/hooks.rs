//! Before stop 2: where the hooks come from.

use crate::HookSet;

/// Knows which hooks there are at a place.
///
/// Duties: what is wrong with a file is in the set's problems, never a missing hook alone.
pub trait HookSource: Send + Sync {
    /// The hooks of every layer for an agent that works on this project, or on none that is known. `None` if
    /// only a fuller build can read them.
    fn at(&self, project_root: Option<&str>) -> Option<HookSet>;

    /// What they were when they could last be read: a guard of yesterday is better than none.
    fn last_known(&self, project_root: Option<&str>) -> HookSet {
        self.at(project_root).unwrap_or_default()
    }
}

/// The same hooks everywhere.
impl HookSource for HookSet {
    fn at(&self, _: Option<&str>) -> Option<HookSet> {
        Some(self.clone())
    }
}
