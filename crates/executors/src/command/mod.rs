//! Hooks that are programs: `command` and `script`.
//!
//! ```text
//! program ─┐
//! folder  ─┼─ call ── supervise ── interpret ── fold ── report
//! environment ┘        (a process)   (pure)     (one run per path)
//! ```

pub(crate) mod call;
pub(crate) mod program;
pub(crate) mod folder;
pub(crate) mod home;
pub(crate) mod environment;
pub(crate) mod interpret;
pub(crate) mod output;
pub(crate) mod text;
pub(crate) mod fold;
mod line_ends;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};
#[cfg(fuzzing)]
use tenter_contract::{EventKind, Said};

use crate::stopping::Stopping;
use crate::supervise::Household;

/// Runs programs: stdin is the event, stdout and the exit code are the reply.
///
/// The default is for a process that does nothing else, as `tenter` itself: on Linux it becomes a *subreaper*, and
/// a child of it that leads a life of its own and that no running hook accounts for is ended after a hook.
#[derive(Clone, Debug, Default)]
pub struct CommandExecutor {
    household: Household,
    stopping: Stopping,
}

impl CommandExecutor {
    /// For a program that starts processes for ends of its own. Nothing is changed about the program; what a hook
    /// leaves behind is found by its mark alone, at the cost of a look at every process on the machine.
    pub fn among_other_processes() -> Self {
        Self { household: Household::Shared, ..Self::default() }
    }
}

impl HookExecutor for CommandExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Command(_) | Handler::Script(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        call::run(hook, event, &ours, self.household, self.stopping.flag())
    }

    fn let_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stopping = Stopping::by(stop);
    }
}

/// What a program means that printed this and ended with this code. `fuzz/` looks here for an output that makes
/// a reader panic or a failed guard allow; nothing is run.
#[cfg(fuzzing)]
pub fn heard(code: i32, stdout: &[u8], stderr: &[u8], hook: &HookSpec, kind: &EventKind) -> Said {
    let finished = crate::supervise::Finished {
        ended: crate::supervise::Ended::Exited(code),
        stdout: stdout.to_vec(),
        stdout_cut: 0,
        stdout_rest: Vec::new(),
        stderr_tail: stderr.to_vec(),
        stderr_cut: 0,
        swept: crate::supervise::Swept::default(),
        took: std::time::Duration::ZERO,
    };
    interpret::interpret(&finished, hook, kind).said
}

#[cfg(test)]
mod tests;
