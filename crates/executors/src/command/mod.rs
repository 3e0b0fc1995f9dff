//! Hooks that are programs: `command` and `script`.
//!
//! ```text
//! program ─┐
//! folder  ─┼─ command_run ── supervise ── interpret ── per_path ── report
//! environment ┘              (a process)   (pure)      (one run per path)
//! ```

pub(crate) mod command_run;
pub(crate) mod program;
pub(crate) mod folder;
pub(crate) mod home;
pub(crate) mod environment;
pub(crate) mod interpret;
pub(crate) mod output;
pub(crate) mod text;
pub(crate) mod per_path;
pub(crate) mod line_ends;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};
#[cfg(fuzzing)]
use tenter_contract::{EventKind, HookOutput};

use crate::interrupt::Interrupt;
use crate::supervise::ProcessTree;

/// Runs programs: stdin is the event, stdout and the exit code are the reply.
///
/// The default is for a process that only runs hooks, such as `tenter` itself: on Linux it becomes a *subreaper*, and
/// after a hook it ends all children in other process groups that belong to no running hook.
#[derive(Clone, Debug, Default)]
pub struct CommandExecutor {
    process_tree: ProcessTree,
    interrupt: Interrupt,
}

impl CommandExecutor {
    /// For a program that starts processes of its own. It does not become a subreaper; leftovers are found by their tag
    /// alone, at the cost of a scan of all processes on the machine.
    pub fn among_other_processes() -> Self {
        Self { process_tree: ProcessTree::Shared, ..Self::default() }
    }
}

impl HookExecutor for CommandExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Command(_) | Handler::Script(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        command_run::run(hook, event, &ours, self.process_tree, self.interrupt.flag())
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.interrupt = Interrupt::new(stop);
    }
}

/// Interprets an output and an exit code without running a program. `fuzz/` searches here for an output that panics or
/// makes a failed guard allow.
#[cfg(fuzzing)]
pub fn interpret_output(
    code: i32,
    stdout: &[u8],
    stderr: &[u8],
    hook: &HookSpec,
    kind: &EventKind,
) -> HookOutput {
    let finished = crate::supervise::FinishedProcess {
        stdout: stdout.to_vec(),
        stderr_tail: stderr.to_vec(),
        ..crate::supervise::FinishedProcess::exited(code)
    };
    interpret::interpret(&finished, hook, kind).output
}

#[cfg(test)]
mod tests;
