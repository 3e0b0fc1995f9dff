//! Before stop 2: where the hooks come from.

use crate::{Event, HookSet};

/// Knows which hooks there are.
///
/// Duties: what is wrong with a file is in the set's problems, never a missing hook alone; a hook that may be
/// concerned by an event, before or after any rewrite, is never left out.
pub trait HookSource: Send + Sync {
    /// The hooks of every layer for an event, as far as it can concern them; all of them if there is no event
    /// to ask about. `None` if only a full binary can read them.
    fn at(&self, event: Option<&Event>) -> Option<HookSet>;

    /// What they were when they could last be read: a guard of yesterday is better than none.
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
