//! Stop 3: ways to run one hook.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::{Event, HookReport, HookSpec};

/// Runs hooks of some kinds.
///
/// Duties: return within the hook's timeout plus the time it takes to end a process; report instead of
/// panicking; leave no process behind beyond the event. `executors/tests/conformance.rs` runs every executor
/// through these.
pub trait HookExecutor: Send + Sync {
    /// Whether this executor runs hooks of that kind.
    fn runs(&self, hook: &HookSpec) -> bool;

    /// Whether it runs such a hook as well as any other build would, at this event. Asked before anything has
    /// happened, of the hooks that an event may concern; it looks and changes nothing.
    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        let _ = event;
        self.runs(hook)
    }

    /// Runs the hook for an event, from start to report.
    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport;

    /// Is told by what somebody in front of the agent stops hooks: as long as it is true they end at once, or are left
    /// where nobody can end them, and have failed. One that waits for nobody need not listen.
    fn set_stop_flag(&mut self, _stop: Arc<AtomicBool>) {}

    /// Is told when an event has no more hooks to run. What was kept for the next of them is ended here.
    fn end_event(&self) {}
}
