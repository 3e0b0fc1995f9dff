//! An observer of running hooks.

use crate::{Event, HookId};

/// Gets the progress of the hooks of an event. Several events may run at once.
///
/// Duties: be quick, and never write where an agent reads or draws.
pub trait ProgressObserver: Send + Sync {
    /// The hooks of an event are about to run. `hooks` is an estimate: a deny ends the chain, and a rewrite may
    /// match further hooks.
    fn begins(&self, event: &Event, hooks: usize);

    /// A hook starts; others may run at the same time.
    fn started(&self, event: &Event, hook: &HookId);

    /// A hook has finished.
    fn finished(&self, event: &Event, hook: &HookId);

    /// No more hooks of the event will run.
    fn ends(&self, event: &Event);
}
