//! The results of an event that was not denied.

use std::fmt;

use tenter_contract::{Degradation, Effect, Event, HookId, Outcome, Source, Transcript};

use crate::context::ContextMessage;
use crate::display::Shown;

/// The results of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitted {
    /// All replies folded into one: the event as hooks rewrote it, every run, every effect.
    pub outcome: Outcome,
    /// The number of its record, if one could be written.
    pub seq: Option<u64>,
    /// The messages that were added to the conversation.
    pub placed: Vec<ContextMessage>,
    /// The context that was not added, and why.
    pub rejected: Vec<Rejected>,
    /// The messages that the user saw.
    pub shown: Vec<Shown>,
}

impl Emitted {
    /// The event after every rewrite.
    pub fn event(&self) -> &Event {
        &self.outcome.event
    }

    /// The author and the reason of a denied stop that was allowed after too many in a row.
    pub fn overruled(&self) -> Option<(&Source, &str)> {
        self.outcome.degraded.iter().find_map(|degraded| match degraded {
            Degradation::StopAllowed { by, reason } => Some((by, reason.as_str())),
            _ => None,
        })
    }

    /// The output of hooks, without those that suppress it. The record has all of it.
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

/// Context that was not added to the conversation. The user was notified.
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
    /// The rejected context of an outcome.
    pub(crate) fn from_outcome(outcome: &Outcome) -> Vec<Self> {
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
