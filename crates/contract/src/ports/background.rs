//! Stop 3: hooks that nobody waits for.

use std::sync::Arc;
use std::time::Instant;

use crate::{Event, EventKind, HookSpec, Limits, SessionClaim};

/// Runs hooks beside the answer.
///
/// Duties: return as soon as the job is in other hands, and not before that is certain; whoever has it runs it
/// once, lives no longer than the time its hooks have, ends when the agent does, unless the job outlives the
/// agent, and leaves no process behind; nothing of the agent's is held on to, so that nobody waits for it.
pub trait Background: Send + Sync {
    /// Hands a job over. With a time it is waited for, but not longer. The error is the reason why nobody
    /// has taken it.
    fn start(&self, job: &BackgroundJob, wait_until: Option<Instant>) -> Result<(), String>;
}

/// Hooks that run beside the answer, and what they are told.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct BackgroundJob {
    /// The event.
    pub event: Arc<Event>,
    /// The hooks.
    pub work: Work,
    /// How much they may inject.
    pub limits: Limits,
}

/// What is to be done on a job.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Work {
    /// One hook, whose turn it is.
    Hook {
        /// Which.
        hook: Box<HookSpec>,
        /// What was claimed for it, to be given back if it fails.
        claim: Option<SessionClaim>,
        /// Under which key its reply is kept, if it is.
        cache_key: Option<String>,
    },
    /// All hooks of an event, one after another as always. None of them had its turn yet.
    Event {
        /// Which, in their order.
        hooks: Vec<HookSpec>,
    },
}

impl BackgroundJob {
    /// Whether it goes on although the agent is gone. An agent that ends its session is about to go, and its
    /// hooks are about just that.
    pub fn outlives_agent(&self) -> bool {
        self.event.kind == EventKind::SessionEnd
    }

    /// The hooks.
    pub fn hooks(&self) -> &[HookSpec] {
        match &self.work {
            Work::Hook { hook, .. } => std::slice::from_ref(hook),
            Work::Event { hooks } => hooks,
        }
    }
}
