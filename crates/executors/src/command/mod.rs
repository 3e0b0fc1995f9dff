//! Hooks that are programs: `command` and `script`.
//!
//! ```text
//! program ─┐
//! folder  ─┼─ call ── supervise ── interpret ── fold ── report
//! environment ┘        (a process)   (pure)     (one run per path)
//! ```

mod call;
mod program;
mod folder;
mod home;
mod environment;
mod interpret;
mod text;
mod fold;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};

/// Runs programs: stdin is the event, stdout and the exit code are the reply.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommandExecutor;

impl HookExecutor for CommandExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        match hook.handler {
            Handler::Command(_) | Handler::Script(_) => true,
            Handler::Inject(_)
            | Handler::Message { .. }
            | Handler::Ask(_)
            | Handler::Deny(_)
            | Handler::InProcess => false,
        }
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        call::run(hook, event, &ours)
    }
}

#[cfg(test)]
mod tests;
