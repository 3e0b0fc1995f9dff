//! Between stops 1 and 2: what this build cannot run is left to the fuller one beside it.
//!
//! The decision falls before the first hook runs, because two programs must not both have run a part: if an
//! event concerns any hook, and any hook of that event is of a kind that only the fuller build runs, or runs well, it
//! goes there, unless all that will be said is known (`cache`). It need not concern the event yet: an earlier hook's rewrite may bring that about.

use tenter_contract::{Event, HookSpec};
use tenter_kernel::matching::concerns;

use crate::{InForce, Runtime};

impl Runtime {
    /// Returns if this build can do it alone, or must, because there is no other; then the hooks it has no
    /// executor for fail as missing.
    pub(crate) fn hand_over(&self, hooks: &InForce, event: &Event, payload: &[u8]) {
        let Some(fuller) = &self.fuller else { return };
        let mut asked = hooks.of_kind(event);
        let beyond = asked.any(|hook| !self.executors.iter().any(|executor| executor.runs_at(hook, event)));
        let concerned = || hooks.of_kind(event).any(|hook| concerns(hook, event));
        if beyond && concerned() && !self.all_is_known(hooks, event) {
            fuller.take_over(payload);
        }
    }

    /// Why nothing here runs a hook.
    pub(crate) fn no_executor(&self, hook: &HookSpec) -> String {
        let kind = hook.handler.kind();
        match &self.fuller {
            Some(fuller) => format!("`{kind}` hooks are run by the whole `tenter`: {}", fuller.why_not()),
            None => format!("this build has no way to run `{kind}` hooks"),
        }
    }
}
