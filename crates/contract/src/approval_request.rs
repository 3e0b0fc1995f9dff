//! A question on its way to a person: what an approver shows, and what records keep of it.

use std::sync::Arc;
use std::time::Duration;

use crate::{ApprovalAnswer, ApprovalQuestion, Event, Grant, GrantScope, Timestamp};

/// A question on its way to a person, with everything somebody needs to answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    /// By which it is answered. Whoever enters it in a register gives it one.
    pub id: String,
    /// The approver that has it.
    pub approver: String,
    /// What is asked, and by whom.
    pub question: ApprovalQuestion,
    /// About what: the event as it stands after every rewrite.
    pub event: Arc<Event>,
    /// When it was put.
    pub asked: Timestamp,
    /// When silence becomes the question's default.
    pub until: Timestamp,
}

impl ApprovalRequest {
    /// The scope of an answer that lasts; `None` if it does not last, or if the agent names no session.
    pub fn scope(&self, grants: Grant) -> Option<GrantScope> {
        GrantScope::new(&self.event, grants).filter(|_| self.event.session.is_some())
    }
}

/// Something that happened to a request, for the trail.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRecord {
    /// Which.
    pub request: ApprovalRequest,
    /// When.
    pub at: Timestamp,
    /// What.
    pub step: ApprovalStep,
}

/// What can happen to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum ApprovalStep {
    /// It is about to be put.
    Required,
    /// It is over.
    Answered { answer: ApprovalAnswer, took: Duration },
    /// The agent had put it to its own user, and the call has run.
    Observed { took: Duration },
    /// The agent had put it to its own user, and nobody will ever know what that one said.
    Unknown,
    /// Whoever asked has died.
    Withdrawn { why: String },
}

impl ApprovalStep {
    /// The name of the record.
    pub fn record_name(&self) -> &'static str {
        match self {
            Self::Required => "approval:required",
            Self::Observed { .. } => "approval:granted",
            Self::Unknown => "approval:unknown",
            Self::Withdrawn { .. } => "approval:withdrawn",
            Self::Answered { answer, .. } => match answer {
                ApprovalAnswer::Granted { .. } | ApprovalAnswer::SavedGrant { .. } => "approval:granted",
                ApprovalAnswer::Denied { .. }
                | ApprovalAnswer::SavedDeny { .. }
                | ApprovalAnswer::NoApprover { .. } => "approval:denied",
                ApprovalAnswer::TimedOut { .. } => "approval:timeout",
                ApprovalAnswer::Withdrawn { .. } | ApprovalAnswer::ApproverGone { .. } => {
                    "approval:withdrawn"
                }
                ApprovalAnswer::LeftToHost => "approval:required",
            },
        }
    }
}
