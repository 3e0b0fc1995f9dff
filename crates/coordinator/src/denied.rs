//! The error of a denied event. Its text is for the agent.

use std::fmt;
use std::time::Duration;

use tenter_contract::{Approval, ApprovalAnswer, Decision, EventKind, HookId, Outcome, Source};

use crate::emitted::Emitted;

/// The event was denied. Other effects of the hooks were applied as always.
#[derive(Debug)]
pub struct Denied {
    /// Who denied, and why.
    pub denial: Denial,
    /// The other results of the event.
    pub emitted: Box<Emitted>,
    text: String,
}

/// Who denied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum Denial {
    /// A hook: `Operation denied by <hook>: <reason>`. At `orchestrator:complete` it wants the agent to go on,
    /// and the reason is the agent's next task.
    Hook { hook: HookId, reason: String },
    /// A person: `User denied: <prompt>`.
    User { prompt: String },
    /// No answer came in time: `Timeout - denied by default (after 60 s)`.
    Timeout { after: Duration },
    /// No approver could ask.
    NoApprover { prompt: String, why: String },
    /// tenter itself, because of what hooks do together: rewrites that do not settle.
    Tenter { reason: String },
}

impl Denied {
    /// The error of an outcome that denies.
    pub(crate) fn check(emitted: Emitted) -> Result<Emitted, Self> {
        let Decision::Deny { by, reason } = &emitted.outcome.decision else { return Ok(emitted) };
        let text = match emitted.outcome.event.kind {
            EventKind::OrchestratorComplete | EventKind::SubagentComplete => reason.clone(),
            _ => Decision::denied_call(by, reason),
        };
        let denial = denial(&emitted.outcome, by, reason);
        Err(Self { denial, emitted: Box::new(emitted), text })
    }
}

fn denial(outcome: &Outcome, by: &Source, reason: &str) -> Denial {
    let other = || Denial::Tenter { reason: reason.to_owned() };
    if let Source::Hook(hook) = by {
        return Denial::Hook { hook: hook.clone(), reason: reason.to_owned() };
    }
    let Some(Approval { question, answer, .. }) = &outcome.approval else { return other() };
    match answer {
        ApprovalAnswer::Denied { .. } | ApprovalAnswer::SavedDeny { .. } => {
            Denial::User { prompt: question.prompt() }
        }
        ApprovalAnswer::TimedOut { after } => Denial::Timeout { after: *after },
        ApprovalAnswer::NoApprover { why }
        | ApprovalAnswer::ApproverGone { why }
        | ApprovalAnswer::Withdrawn { why } => {
            Denial::NoApprover { prompt: question.prompt(), why: why.clone() }
        }
        ApprovalAnswer::Granted { .. } | ApprovalAnswer::SavedGrant { .. } | ApprovalAnswer::LeftToHost => {
            other()
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Denied {}
