//! Hooks that come with tenter: `builtin`.
//!
//! ```text
//! call ─┬─ git_status, project_info, env, date     what the agent should know
//!       ├─ context_files                           what the agent should read
//!       ├─ feedback: lint, types, tests            what tools say about a written file
//!       ├─ todo_reminder, notify                   nudges, to the agent and to you
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
mod feedback;
pub mod protect_config;

use std::sync::Arc;

use tenter_contract::builtin_names::{self, RunBy};
use tenter_contract::ports::{HookExecutor, SessionShelf};
use tenter_contract::{Builtin, Event, Handler, HookReport, HookSpec};

use crate::supervise::Household;

/// Runs what comes with tenter.
#[derive(Clone)]
pub struct BuiltinExecutor {
    household: Household,
    sessions: Arc<dyn SessionShelf>,
}

impl BuiltinExecutor {
    /// For a process that does nothing else; see [`crate::CommandExecutor`]. What is counted in a session is
    /// kept on this shelf.
    pub fn new(sessions: Arc<dyn SessionShelf>) -> Self {
        Self { household: Household::default(), sessions }
    }

    /// For a program that starts processes for ends of its own.
    pub fn among_other_processes(sessions: Arc<dyn SessionShelf>) -> Self {
        Self { household: Household::Shared, sessions }
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

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        call::run(hook, event, &ours, self)
    }
}

#[cfg(test)]
mod tests;
