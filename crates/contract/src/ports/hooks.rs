//! The source of hooks.

use crate::{Event, HookSet};

/// Loads hooks.
///
/// Duties: an error in a file is one of the set's problems, never only a missing hook; a hook that may match an
/// event, before or after any rewrite, is never left out.
pub trait HookSource: Send + Sync {
    /// The hooks of every layer that may match an event; all of them if there is no event. `None` if only a full
    /// binary can read them.
    fn at(&self, event: Option<&Event>) -> Option<HookSet>;

    /// The hooks as they could last be read: an old guard is better than none.
    fn last_known(&self, event: Option<&Event>) -> HookSet {
        self.at(event).unwrap_or_default()
    }
}

/// The same hooks everywhere.
impl HookSource for HookSet {
    fn at(&self, _: Option<&Event>) -> Option<HookSet> {
        Some(self.clone())
    }
}
