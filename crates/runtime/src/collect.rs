//! Each hook's own reply, for programs that combine replies themselves.

use tenter_contract::{Event, HookId, HookOutput};
use tenter_kernel::matching::concerns;

use crate::Runtime;

impl Runtime {
    /// Runs every hook that an event concerns, and returns each output in order. No reply stops another hook or changes
    /// its input. Nothing is asked, limited, injected or recorded.
    pub fn collect(&self, mut event: Event) -> Vec<(HookId, HookOutput)> {
        let hooks = self.catalog.hooks_for_host(&mut event);
        let concerned = hooks.for_event(&event).filter(|hook| concerns(hook, &event));
        concerned.map(|hook| (hook.id.clone(), self.run_context().execute(hook, &event).output)).collect()
    }
}
