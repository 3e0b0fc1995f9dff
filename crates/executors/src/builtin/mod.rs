//! Hooks that come with tenter: `builtin`.
//!
//! ```text
//! call ─┬─ git_status, project_info, env, date     what the agent should know
//!       ├─ context_files                           what the agent should read
//!       ├─ feedback: lint, types, tests            what tools say about a written file
//!       ├─ todo_reminder, notify                   nudges, to the agent and to you
//!       ├─ memory_check_in, memory_outcome         what it predicted, and what came of it
//!       └─ protect_config                          a guard of our own files
//! programs   finds programs and runs them, under the same supervision as commands
//! ```
//!
//! One file per built-in; a new one is a row of `contract::builtin_names`, a file here, and a row of
//! the table in `call.rs`. They use nothing but the operating system and programs that are there anyway, because
//! they are part of the small program that agents call.

mod call;
mod options;
mod programs;
mod wording;
mod git_status;
mod project_info;
pub mod context_files;
mod env;
mod date;
mod notify;
mod todo_reminder;
mod memory;
mod memory_check_in;
mod memory_outcome;
mod feedback;
pub mod protect_config;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::builtin_names::{self, MEMORY_OUTCOME, RunBy};
use tenter_contract::ports::HookExecutor;
use tenter_contract::{Builtin, Event, Handler, HookReport, HookSpec};

use crate::Keepsakes;
use crate::stopping::Stopping;
use crate::supervise::Household;

/// Runs what comes with tenter.
#[derive(Clone)]
pub struct BuiltinExecutor {
    household: Household,
    stopping: Stopping,
    kept: Keepsakes,
}

impl BuiltinExecutor {
    /// For a process that does nothing else; see [`crate::CommandExecutor`].
    pub fn new(kept: Keepsakes) -> Self {
        Self { household: Household::default(), stopping: Stopping::default(), kept }
    }

    /// For a program that starts processes for ends of its own.
    pub fn among_other_processes(kept: Keepsakes) -> Self {
        Self { household: Household::Shared, stopping: Stopping::default(), kept }
    }
}

/// Whether a built-in is run elsewhere, and only in the whole program.
pub(crate) fn needs_whole(builtin: &Builtin) -> bool {
    builtin_names::find(&builtin.name).is_some_and(|row| row.run_by == RunBy::Whole)
}

impl HookExecutor for BuiltinExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(&hook.handler, Handler::Builtin(builtin) if !needs_whole(builtin))
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        match &hook.handler {
            // What to warn of is looked for in what was learned, which is not here.
            Handler::Builtin(builtin) if builtin.name == MEMORY_OUTCOME => {
                !memory_outcome::warns(builtin, event, self.kept.state.as_ref())
            }
            _ => self.runs(hook),
        }
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        call::run(hook, event, &ours, self)
    }

    fn let_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stopping = Stopping::by(stop);
    }
}

#[cfg(test)]
mod tests;
