//! Hooks that come with tenter: `builtin`.
//!
//! ```text
//! builtin_run ─┬─ git_status, project_info, env, date     facts for the agent
//!              ├─ context_files                           files for the agent
//!              ├─ feedback: lint, types, tests            findings of tools in a written file
//!              ├─ todo_reminder, notify                   reminders for the agent and for the user
//!              ├─ memory_check_in, memory_outcome         predictions of the agent, and their outcome
//!              └─ protect_config                          a guard of tenter's own files
//! tool_process   finds programs and runs them like commands
//! ```
//!
//! One file per built-in; a new one is a row of `contract::builtin_names`, a file here, and a row of the table in
//! `builtin_run.rs`. They use only the operating system and installed programs, because they are part of the small
//! program that agents call.

mod builtin_run;
mod options;
mod tool_process;
mod display;
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

use crate::HookState;
use crate::interrupt::Interrupt;
use crate::supervise::ProcessTree;

/// Runs the hooks that come with tenter.
#[derive(Clone)]
pub struct BuiltinExecutor {
    process_tree: ProcessTree,
    interrupt: Interrupt,
    hook_state: HookState,
}

impl BuiltinExecutor {
    /// For a process that only runs hooks; see [`crate::CommandExecutor`].
    pub fn new(hook_state: HookState) -> Self {
        Self { process_tree: ProcessTree::default(), interrupt: Interrupt::default(), hook_state }
    }

    /// For a program that starts processes of its own.
    pub fn among_other_processes(hook_state: HookState) -> Self {
        Self { process_tree: ProcessTree::Shared, ..Self::new(hook_state) }
    }
}

/// Whether only the full binary runs a built-in.
pub(crate) fn needs_full_binary(builtin: &Builtin) -> bool {
    builtin_names::find(&builtin.name).is_some_and(|row| row.run_by == RunBy::FullBinary)
}

impl HookExecutor for BuiltinExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(&hook.handler, Handler::Builtin(builtin) if !needs_full_binary(builtin))
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        match &hook.handler {
            // The warning needs the database of the memory, which is not in this program.
            Handler::Builtin(builtin) if builtin.name == MEMORY_OUTCOME => {
                !memory_outcome::warns(builtin, event, self.hook_state.state.as_ref())
            }
            _ => self.runs(hook),
        }
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        builtin_run::run(hook, event, &ours, self)
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.interrupt = Interrupt::new(stop);
    }
}

#[cfg(test)]
mod tests;
