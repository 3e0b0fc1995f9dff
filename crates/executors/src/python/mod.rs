//! Hooks that are Python functions: `python`.
//!
//! ```text
//! interpreter ─┐
//! request     ─┼─ call ──┬─ worker      a process of this event ────┐
//! environment ─┘         └─ keeper      one that waits for more ─────┴─ exchange ── said ── report
//! ```
//!
//! `worker.py` runs inside the interpreter and calls functions, with `modules.py`, which says where modules come
//! from, and `results.py`, which makes replies of what functions return; `keeper.py` keeps it between events;
//! `origins.py` knows what hooks of other systems import and return; the module `tenter` that hooks import is the
//! file `python/tenter/__init__.py` at the root of the repository.

mod call;
mod interpreter;
mod request;
mod exchange;
mod worker;
#[cfg(target_os = "linux")]
mod keeper;
mod said;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};

use crate::caller::Caller;
use crate::stopping::Stopping;
use crate::supervise::Household;
use worker::{Kind, Worker};

/// Calls Python functions. Hooks of one event share a process, one after another; beyond the event none is kept,
/// unless the hook says so (`keep`).
#[derive(Default)]
pub struct PythonExecutor {
    household: Household,
    stopping: Stopping,
    idle: Mutex<Vec<(Kind, Worker)>>,
    #[cfg(target_os = "linux")]
    keepers: keeper::Keepers,
    /// On whose behalf it calls, if not for whoever is above this process.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is kept there"))]
    caller: Option<Caller>,
}

impl PythonExecutor {
    /// For a program that starts processes for ends of its own; see
    /// [`CommandExecutor::among_other_processes`](crate::CommandExecutor::among_other_processes).
    pub fn among_other_processes() -> Self {
        let mut executor = Self::default();
        executor.household = Household::Shared;
        executor
    }

    /// For a process that is not the agent's own: what is kept beyond an event ends with this one.
    pub fn on_behalf_of(caller: Option<Caller>) -> Self {
        let mut executor = Self::default();
        executor.caller = caller;
        executor
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Kind, Worker)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process that has answered before and has nothing to do.
    fn take_idle(&self, kind: &Kind) -> Option<Worker> {
        let mut idle = self.idle();
        let at = idle.iter().position(|(known, worker)| known == kind && worker.is_ready())?;
        Some(idle.swap_remove(at).1)
    }
}

impl HookExecutor for PythonExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Python(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        call::run(self, hook, event, &ours)
    }

    fn let_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stopping = Stopping::by(stop);
    }

    fn event_over(&self) {
        let idle = std::mem::take(&mut *self.idle());
        for (_, worker) in idle {
            worker.part();
        }
        #[cfg(target_os = "linux")]
        self.keepers.reap();
    }
}

impl Drop for PythonExecutor {
    fn drop(&mut self) {
        self.event_over();
    }
}

#[cfg(test)]
mod tests;
