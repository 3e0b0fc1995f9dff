//! Decides which events this build leaves to the full binary.
//!
//! It decides before the first hook runs, because two programs must not each run a part. An event goes to the
//! full binary if it concerns any hook, and if any hook at it is of a kind that only the full binary runs, or runs
//! better, unless all replies are cached. That hook need not match yet: the rewrite of an earlier one may change that.

use tenter_contract::Event;
use tenter_kernel::matching::concerns;

use crate::{ActiveHooks, Runtime};

impl Runtime {
    /// Becomes the full binary if that one must handle this event. Returns if this build can handle it, or if there is no
    /// other; then hooks without an executor fail as missing.
    pub(crate) fn delegate(&self, hooks: &ActiveHooks, event: &Event, payload: &[u8]) {
        let Some(full_binary) = &self.catalog.full_binary else { return };
        let mut asked = hooks.for_event(event);
        let unsupported =
            asked.any(|hook| !self.runner.executors.iter().any(|executor| executor.runs_at(hook, event)));
        let concerned = || hooks.for_event(event).any(|hook| concerns(hook, event));
        if unsupported && concerned() && !self.run_context().all_cached(hooks, event) {
            full_binary.exec(payload);
        }
    }
}
