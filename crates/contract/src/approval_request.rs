//! An approval request: what an approver shows, and what records keep.

use std::sync::Arc;
use std::time::Duration;

use crate::{ApprovalAnswer, ApprovalQuestion, Event, Grant, GrantScope, Timestamp};

/// A question to a person, with everything that is needed to answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    /// The id by which it is answered. The register assigns it.
    pub id: String,
    /// The approver that has it.
    pub approver: String,
    /// The question and the hooks that ask it.
    pub question: ApprovalQuestion,
    /// The event after every rewrite.
    pub event: Arc<Event>,
    /// When it was asked.
    pub asked: Timestamp,
    /// When the default of the question applies.
    pub until: Timestamp,
}

impl ApprovalRequest {
    /// The scope of an answer that lasts; `None` if it does not last, or if the agent names no session.
    pub fn scope(&self, grants: Grant) -> Option<GrantScope> {
        GrantScope::new(&self.event, grants).filter(|_| self.event.session.is_some())
    }
}

/// A step of a request, for the audit trail.
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
    /// It is about to be asked.
    Required,
    /// It has an answer.
    Answered { answer: ApprovalAnswer, took: Duration },
    /// The agent had asked its own user, and the call has run.
    Observed { took: Duration },
    /// The agent had asked its own user and did not report the answer.
    Unknown,
    /// The process that asked has died.
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
