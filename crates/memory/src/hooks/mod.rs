//! The built-in hooks of memory that need the database.
//!
//! ```text
//! call ─┬─ session_start   what is good to know, and what was left behind
//!       ├─ recall          what is relevant to a prompt
//!       ├─ outcome         what went wrong before, when something fails
//!       └─ session_end     what was not resolved gets up
//! giving   what each context has received, so that nothing gets twice
//! ```
//!
//! None of them ever breaks a session: whatever is wrong with the store, the agent goes on without it, and the user is
//! shown once.

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
    /// None where there is no place for it.
    services: Option<Arc<Services>>,
}

struct Services {
    memory: Memory,
    delivery_log: DeliveryLog,
    sessions: Arc<dyn SessionStore>,
    /// Where it is noted what was shown, if the sessions' own place cannot be written.
    fallback: Option<SessionFolders>,
}

impl MemoryExecutor {
    /// Over this memory, which lies below this state folder. What was shown and offered once in a session is noted on the
    /// collection.
    ///
    /// What received and shown is noted in `beside`, for as long as that lasts, if the state folder cannot be written:
    /// else the same would be passed and shown at every event.
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

    /// Where there is no folder for state, nothing is remembered.
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
            let why = "there is no folder for state, so nothing is remembered".to_owned();
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
                    HookFailure::Panicked { detail: "the memory hook ended without a word".to_owned() }
                }
            },
        };
        HookReport::new(HookOutput::Failure(failure))
    }
}

#[cfg(test)]
mod tests;
