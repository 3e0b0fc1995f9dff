//! Runs hooks of some kinds.

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

    /// Whether it runs such a hook as well as any other build, at this event. Called before anything has happened;
    /// changes nothing.
    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        let _ = event;
        self.runs(hook)
    }

    /// Runs the hook for an event, from start to report.
    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport;

    /// Sets the flag by which the user stops hooks. While it is true, running hooks end or are abandoned, and fail.
    /// An executor that never waits can ignore it.
    fn set_stop_flag(&mut self, _stop: Arc<AtomicBool>) {}

    /// Ends everything that was kept for further hooks of an event.
    fn end_event(&self) {}
}
