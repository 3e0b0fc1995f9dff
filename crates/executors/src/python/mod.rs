//! Hooks that are Python functions: `python`.
//!
//! ```text
//! interpreter ─┐
//! request     ─┼─ python_run ──┬─ worker        ends with the event ──┐
//! environment ─┘               └─ warm_worker   waits for the next ───┴─ exchange ── interpret_answer ── report
//! ```
//!
//! `worker.py` runs inside the interpreter and calls functions; `modules.py` decides where modules come from,
//! `results.py` turns returned values into replies, `warm_worker.py` keeps the worker between events, and `origins.py`
//! knows the imports and return values of other hook systems. Hooks import the module `tenter` from
//! `python/tenter/__init__.py` at the root of the repository.

mod python_run;
mod interpreter;
mod request;
mod exchange;
mod worker;
#[cfg(target_os = "linux")]
mod warm_worker;
mod interpret_answer;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};

use crate::caller::Caller;
use crate::interrupt::Interrupt;
use crate::supervise::ProcessTree;
use worker::{Worker, WorkerKey};

/// Calls Python functions. Hooks of one event share a process, one after another; a hook with `keep` keeps it beyond the
/// event.
#[derive(Default)]
pub struct PythonExecutor {
    process_tree: ProcessTree,
    interrupt: Interrupt,
    idle: Mutex<Vec<(WorkerKey, Worker)>>,
    #[cfg(target_os = "linux")]
    warm_workers: warm_worker::WarmWorkers,
    /// The agent, if it is not an ancestor of this process.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "warm workers exist on Linux alone"))]
    caller: Option<Caller>,
}

impl PythonExecutor {
    /// For a program that starts processes of its own; see
    /// [`CommandExecutor::among_other_processes`](crate::CommandExecutor::among_other_processes).
    pub fn among_other_processes() -> Self {
        let mut executor = Self::default();
        executor.process_tree = ProcessTree::Shared;
        executor
    }

    /// For a process that the agent has not started itself: warm workers end with this caller.
    pub fn on_behalf_of(caller: Option<Caller>) -> Self {
        let mut executor = Self::default();
        executor.caller = caller;
        executor
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(WorkerKey, Worker)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_idle(&self, key: &WorkerKey) -> Option<Worker> {
        let mut idle = self.idle();
        let at = idle.iter().position(|(known, worker)| known == key && worker.is_ready())?;
        Some(idle.swap_remove(at).1)
    }
}

impl HookExecutor for PythonExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Python(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        python_run::run(self, hook, event, &ours)
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.interrupt = Interrupt::new(stop);
    }

    fn end_event(&self) {
        let idle = std::mem::take(&mut *self.idle());
        for (_, worker) in idle {
            worker.finish();
        }
        #[cfg(target_os = "linux")]
        self.warm_workers.reap();
    }
}

impl Drop for PythonExecutor {
    fn drop(&mut self) {
        self.end_event();
    }
}

#[cfg(test)]
mod tests;
