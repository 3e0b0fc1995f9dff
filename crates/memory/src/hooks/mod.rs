//! The built-in hooks of memory that need the database.
//!
//! ```text
//! call ─┬─ session_start   what is good to know, and what was left behind
//!       ├─ recall          what is relevant to a prompt
//!       ├─ outcome         what went wrong before, when something fails
//!       └─ session_end     what was not resolved is given up
//! giving   what each context has been given, so that nothing is given twice
//! ```
//!
//! None of them ever breaks a session: whatever is wrong with the store, the agent goes on without it, and the user is
//! told once.

mod call;
mod given;
mod giving;
mod outcome;
mod recall;
mod session_end;
mod session_start;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use tenter_contract::ports::{HookExecutor, SessionShelf};
use tenter_contract::{Event, Handler, HookFailure, HookReport, HookSpec, Said};
use tenter_store::{SessionFolders, StateFolder};

use crate::Memory;
use given::GivenFolder;

/// Runs the hooks of memory.
#[derive(Clone)]
pub struct MemoryExecutor {
    /// None where there is no place for it.
    kept: Option<Arc<Kept>>,
}

/// What these hooks remember.
struct Kept {
    memory: Memory,
    given: GivenFolder,
    sessions: Arc<dyn SessionShelf>,
    /// Where it is noted what was told, if the sessions' own place cannot be written.
    beside: Option<SessionFolders>,
}

impl MemoryExecutor {
    /// Over this memory, which lies below this state folder. What was told and offered once in a session is noted on the
    /// shelf.
    ///
    /// What was given and told is noted in `beside`, for as long as that lasts, if the state folder cannot be written:
    /// else the same would be given and told at every event.
    pub fn new(
        memory: Memory,
        state: StateFolder,
        sessions: Arc<dyn SessionShelf>,
        beside: Option<StateFolder>,
    ) -> Self {
        let shelf = beside.as_ref().map(SessionFolders::new);
        let given = GivenFolder::new(state, beside);
        Self { kept: Some(Arc::new(Kept { memory, given, sessions, beside: shelf })) }
    }

    /// Where there is no folder for state, nothing is remembered.
    pub fn without_state() -> Self {
        Self { kept: None }
    }
}

impl HookExecutor for MemoryExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(&hook.handler, Handler::Builtin(builtin) if call::of(&builtin.name).is_some())
    }

    /// Works beside the caller, who does not wait for a disk or a database any longer than the hook has time.
    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let Some(kept) = self.kept.clone() else {
            let why = "there is no folder for state, so nothing is remembered".to_owned();
            return HookReport::of(Said::Skipped { why });
        };
        let (send, receive) = channel();
        let (owned, event) = (hook.clone(), event.clone());
        let work = move || drop(send.send(call::run(&owned, &event, &kept)));
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
        HookReport::of(Said::Failure(failure))
    }
}

#[cfg(test)]
mod tests;
