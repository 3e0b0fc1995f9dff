//! All replies to an event folded into one.

use std::sync::Arc;

use crate::reply::{HookOutput, seconds};
use crate::{
    Approval, ApprovalAnswer, ApprovalQuestion, Degradation, Effect, Event, HookId, Injection, Policy,
    Timestamp, Transcript,
};

/// Who decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Source {
    /// A hook.
    Hook(HookId),
    /// An approver: the answer of a person, or the end of the time.
    Approver,
    /// tenter itself: an unsupported effect, rewrites that do not settle, a missing approver.
    Tenter,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hook(hook) => hook.fmt(f),
            Self::Approver => f.write_str("the approver"),
            Self::Tenter => f.write_str("tenter"),
        }
    }
}

/// The combined verdict of all hooks.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Decision {
    /// No hook decided.
    #[default]
    Abstain,
    /// Allowed by a hook with `may_allow`.
    Allow {
        /// Which.
        by: HookId,
        /// Why.
        reason: Option<String>,
    },
    /// A person shall decide.
    Ask(ApprovalQuestion),
    /// It must not happen.
    Deny {
        /// Who denied.
        by: Source,
        /// The reason.
        reason: String,
    },
}

impl Decision {
    /// The word used in records and messages.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Abstain => "abstain",
            Self::Allow { .. } => "allow",
            Self::Ask(_) => "ask",
            Self::Deny { .. } => "deny",
        }
    }

    /// What the agent reads of a denied call. The text of an approver says itself who denied: a question that timed
    /// out must not read as if the user had said no.
    pub fn denied_call(by: &Source, reason: &str) -> String {
        match by {
            Source::Hook(_) | Source::Tenter => format!("Operation denied by {by}: {reason}"),
            Source::Approver => reason.to_owned(),
        }
    }

    /// The decision that follows from an answer; `granted` is the one if the answer permits it.
    pub fn answered(question: &ApprovalQuestion, answer: &ApprovalAnswer, granted: Self) -> Self {
        let deny = |by: Source, reason: String| Self::Deny { by, reason };
        match answer {
            ApprovalAnswer::Granted { .. } | ApprovalAnswer::SavedGrant { .. } => granted,
            ApprovalAnswer::LeftToHost => Self::Ask(question.clone()),
            ApprovalAnswer::Denied { .. } => {
                deny(Source::Approver, format!("User denied: {}", question.prompt()))
            }
            ApprovalAnswer::SavedDeny { by } => deny(
                Source::Approver,
                format!("User denied: {} (saved answer: approvals rule {by})", question.prompt()),
            ),
            ApprovalAnswer::TimedOut { after } => match question.default {
                Policy::Allow => granted,
                Policy::Deny => {
                    deny(Source::Approver, format!("Timeout - denied by default (after {})", seconds(*after)))
                }
            },
            ApprovalAnswer::Withdrawn { why } => {
                deny(Source::Tenter, format!("the question \"{}\" was withdrawn: {why}", question.prompt()))
            }
            ApprovalAnswer::NoApprover { why } | ApprovalAnswer::ApproverGone { why } => {
                deny(Source::Tenter, format!("no approver can be asked \"{}\": {why}", question.prompt()))
            }
        }
    }
}

/// One run of a hook, as the record keeps it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookRun {
    /// Which hook.
    pub hook: HookId,
    /// In which round.
    pub round: Round,
    /// Its result.
    pub output: HookOutput,
    /// How it went.
    pub transcript: Transcript,
}

/// The rounds of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Round {
    /// Every hook, in order.
    First,
    /// Guards that ran before a rewrite are asked about the final input.
    Rejudge,
}

/// All replies folded into one.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The event after every rewrite; its tool call keeps the original input.
    pub event: Arc<Event>,
    /// The combined verdict of all hooks.
    pub decision: Decision,
    /// Every effect of every reply that counts, in the order of the hooks, with its author.
    pub effects: Vec<(Source, Effect)>,
    /// The question to a person and its answer, if a hook asked.
    pub approval: Option<Approval>,
    /// Every run, in the order they were folded.
    pub runs: Vec<HookRun>,
    /// What the agent does not support, and what was done instead.
    pub degraded: Vec<Degradation>,
    /// When the first request about the same call came, if this is another one. Decision and rewrites are those of
    /// the first.
    pub delivered_first: Option<Timestamp>,
}

impl Outcome {
    /// The outcome of an event that concerns no hook.
    pub fn nothing(event: Arc<Event>) -> Self {
        Self {
            event,
            decision: Decision::Abstain,
            effects: Vec::new(),
            approval: None,
            runs: Vec::new(),
            degraded: Vec::new(),
            delivered_first: None,
        }
    }

    /// The injected texts with their authors, in order.
    pub fn injections(&self) -> impl Iterator<Item = (&Source, &Injection)> {
        self.effects.iter().filter_map(|(by, effect)| match effect {
            Effect::Inject(injection) => Some((by, injection)),
            _ => None,
        })
    }

    /// Whether some hook rewrote that part of the event (`tool_input`, `tool_output`, `prompt`, `data`).
    pub fn rewrote(&self, target: &str) -> bool {
        self.rewriters(target).next().is_some()
    }

    /// Who rewrote that part, in order.
    pub fn rewriters<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a Source> {
        self.effects.iter().filter_map(move |(by, effect)| match effect {
            Effect::Rewrite(rewrite) if rewrite.target() == target => Some(by),
            _ => None,
        })
    }

    /// The first hook that wants to end the agent's run, and why.
    pub fn stop(&self) -> Option<(&Source, &str)> {
        self.effects.iter().find_map(|(by, effect)| match effect {
            Effect::StopAgent { reason } => Some((by, reason.as_str())),
            _ => None,
        })
    }
}
