//! What came of an event that nobody denied.

use std::fmt;

use tenter_contract::{Degradation, Effect, Event, HookId, Outcome, Source, Transcript};

use crate::context::ContextMessage;
use crate::display::Shown;

/// What came of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitted {
    /// All replies folded into one: the event as hooks rewrote it, every run, every effect.
    pub outcome: Outcome,
    /// The number of its record, if one could be written.
    pub seq: Option<u64>,
    /// The messages that are now in the conversation.
    pub placed: Vec<ContextMessage>,
    /// The context that is not, and why.
    pub rejected: Vec<Rejected>,
    /// What the user was shown.
    pub shown: Vec<Shown>,
}

impl Emitted {
    /// The event after every rewrite: what is now to be done, with which input, or what was done.
    pub fn event(&self) -> &Event {
        &self.outcome.event
    }

    /// Who wanted the agent to go on, and what it was to do, where it was let go all the same.
    pub fn overruled(&self) -> Option<(&Source, &str)> {
        self.outcome.degraded.iter().find_map(|degraded| match degraded {
            Degradation::StopAllowed { by, reason } => Some((by, reason.as_str())),
            _ => None,
        })
    }

    /// What hooks wrote themselves, without those that wanted it hidden. A tool's output is no hook's and stays
    /// in the event, and the record has all of it.
    pub fn hook_output(&self) -> impl Iterator<Item = (&HookId, &Transcript)> {
        let hidden = |hook: &HookId| {
            self.outcome.effects.iter().any(|(by, effect)| {
                *effect == Effect::SuppressOutput && matches!(by, Source::Hook(by) if by == hook)
            })
        };
        let wrote = |transcript: &Transcript| !transcript.stdout.is_empty() || !transcript.stderr.is_empty();
        let runs = self.outcome.runs.iter().map(|run| (&run.hook, &run.transcript));
        runs.filter(move |(hook, transcript)| wrote(transcript) && !hidden(hook))
    }
}

/// Context that did not get into the conversation. The session goes on, and the user was told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum Rejected {
    /// `Context injection exceeds 10240 bytes: 10241 bytes`.
    TooLarge { hook: HookId, bytes: usize, limit: usize },
    /// Nothing was left in the budget, and `over_budget` says `enforce`.
    OverBudget { by: Source, tokens: u64, limit: u64 },
    /// The store failed.
    NotKept { by: Source, bytes: usize, why: String },
}

impl Rejected {
    /// What of an outcome was rejected.
    pub(crate) fn of(outcome: &Outcome) -> Vec<Self> {
        let rejected = outcome.degraded.iter().filter_map(|degraded| match degraded {
            Degradation::InjectionTooLarge { by, injection, limit } => {
                Some(Self::TooLarge { hook: by.clone(), bytes: injection.content.len(), limit: *limit })
            }
            Degradation::OverBudget { by, tokens, limit, .. } => {
                Some(Self::OverBudget { by: by.clone(), tokens: *tokens, limit: *limit })
            }
            Degradation::NotKept { by, bytes, why } => {
                Some(Self::NotKept { by: by.clone(), bytes: *bytes, why: why.clone() })
            }
            _ => None,
        });
        rejected.collect()
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, limit, .. } => {
                write!(f, "Context injection exceeds {limit} bytes: {bytes} bytes")
            }
            Self::OverBudget { tokens, limit, .. } => {
                write!(f, "Context injection of about {tokens} tokens exceeds the budget of {limit}")
            }
            Self::NotKept { bytes, why, .. } => {
                write!(f, "Context injection of {bytes} bytes failed: {why}")
            }
        }
    }
}

impl std::error::Error for Rejected {}
