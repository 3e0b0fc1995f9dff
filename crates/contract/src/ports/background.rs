//! Runs hooks in the background.

use std::sync::Arc;
use std::time::Instant;

use crate::{Event, EventKind, HookSpec, Limits, SessionClaim};

/// Starts background jobs.
///
/// Duties: return when a worker has the job, and not before. The worker runs it once, lives no longer than the
/// timeouts of its hooks, ends with the agent unless the job outlives it, and leaves no process behind. It holds no
/// file of the agent, so that the agent does not wait for it.
pub trait Background: Send + Sync {
    /// Starts a job, and waits for its end until `wait_until`. The error says why no worker has it.
    fn start(&self, job: &BackgroundJob, wait_until: Option<Instant>) -> Result<(), String>;
}

/// Hooks that run in the background, with their event.
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

/// The work of a job.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Work {
    /// One hook that must run now.
    Hook {
        /// Which.
        hook: Box<HookSpec>,
        /// Its claim, to be released if it fails.
        claim: Option<SessionClaim>,
        /// The key of its cached reply, if it has `cache`.
        cache_key: Option<String>,
    },
    /// All hooks of an event, in their usual order. None has run yet.
    Event {
        /// Which, in their order.
        hooks: Vec<HookSpec>,
    },
}

impl BackgroundJob {
    /// Whether it goes on after the agent has ended: its hooks are about the end of the session.
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
