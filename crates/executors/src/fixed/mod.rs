//! Hooks with a fixed reply in their file: `inject`, `message`, `ask` and `deny`. No process is started.

mod fixed_run;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookReport, HookSpec};

/// Answers with the reply in the hook file, placeholders filled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedExecutor;

impl HookExecutor for FixedExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        hook.handler.is_fixed()
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        fixed_run::run(hook, event)
    }
}

#[cfg(test)]
mod tests;
