//! Hooks whose reply stands in their file: `inject`, `message`, `ask` and `deny`. No process is started.

mod call;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookReport, HookSpec};

/// Answers with what the hook's file says, placeholders filled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedExecutor;

impl HookExecutor for FixedExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        hook.handler.is_fixed()
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        call::run(hook, event)
    }
}

#[cfg(test)]
mod tests;
