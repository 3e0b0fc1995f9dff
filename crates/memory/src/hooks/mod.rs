//! The built-in hooks of memory that need the database.
//!
//! ```text
//! call ─┬─ session_start   injects lessons, latest work and memories; offers an orphan
//!       ├─ recall          injects what is relevant to a prompt
//!       ├─ outcome         warns with earlier failures when a run fails
//!       └─ session_end     abandons active entries
//! giving   injects each text once per context
//! ```
//!
//! A broken store never breaks a session: the agent continues without memory, and the user is notified once.

mod call;
mod delivery_log;
mod giving;
mod outcome;
mod recall;
mod session_end;
mod session_start;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use tenter_contract::ports::{HookExecutor, SessionStore};
use tenter_contract::{Event, Handler, HookFailure, HookOutput, HookReport, HookSpec};
use tenter_store::{SessionFolders, StateFolder};

use crate::Memory;
use delivery_log::DeliveryLog;

/// Runs the hooks of memory.
#[derive(Clone)]
pub struct MemoryExecutor {
    /// None without a state folder.
    services: Option<Arc<Services>>,
}

struct Services {
    memory: Memory,
    delivery_log: DeliveryLog,
    sessions: Arc<dyn SessionStore>,
    /// Claims for sessions if the state folder cannot be written.
    fallback: Option<SessionFolders>,
}

impl MemoryExecutor {
    /// Runs hooks with this memory in this state folder. If that cannot be written, `fallback` has the delivery log and the
    /// claims of sessions; otherwise every event would inject and notify again.
    pub fn new(
        memory: Memory,
        state: StateFolder,
        sessions: Arc<dyn SessionStore>,
        fallback: Option<StateFolder>,
    ) -> Self {
        let session_store = fallback.as_ref().map(SessionFolders::new);
        let delivery_log = DeliveryLog::new(state, fallback);
        Self {
            services: Some(Arc::new(Services { memory, delivery_log, sessions, fallback: session_store })),
        }
    }

    /// Skips all hooks, because there is no state folder.
    pub fn without_state() -> Self {
        Self { services: None }
    }
}

impl HookExecutor for MemoryExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(&hook.handler, Handler::Builtin(builtin) if call::handler(&builtin.name).is_some())
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let Some(services) = self.services.clone() else {
            let why = "there is no state folder, so nothing is remembered".to_owned();
            return HookReport::new(HookOutput::Skipped { why });
        };
        let (send, receive) = channel();
        let (owned, event) = (hook.clone(), event.clone());
        let work = move || drop(send.send(call::run(&owned, &event, &services)));
        let failure = match thread::Builder::new().name("memory".to_owned()).spawn(work) {
            Err(cause) => HookFailure::Failed { detail: format!("there is no thread for it: {cause}") },
            Ok(_) => match receive.recv_timeout(hook.timeout) {
                Ok(report) => return report,
                Err(RecvTimeoutError::Timeout) => HookFailure::TimedOut { after: hook.timeout },
                Err(RecvTimeoutError::Disconnected) => {
                    HookFailure::Panicked { detail: "the memory hook ended without a report".to_owned() }
                }
            },
        };
        HookReport::new(HookOutput::Failure(failure))
    }
}

#[cfg(test)]
mod tests;
