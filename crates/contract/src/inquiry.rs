//! A question on its way to a person: what a desk shows, and what records keep of it.

use std::sync::Arc;
use std::time::Duration;

use crate::{Covers, Event, Grants, HumanAnswer, Question, SessionId, Timestamp};

/// A question on its way to a person, with everything somebody needs to answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inquiry {
    /// By which it is answered. Whoever enters it in a register gives it one.
    pub id: String,
    /// The desk that has it.
    pub desk: String,
    /// What is asked, and by whom.
    pub question: Question,
    /// About what: the event as it stands after every rewrite.
    pub event: Arc<Event>,
    /// When it was put.
    pub asked: Timestamp,
    /// When silence becomes the question's default.
    pub until: Timestamp,
}

impl Inquiry {
    /// What an answer that grants this stands for from then on; `None` if it does not last. Where the agent names no
    /// session, none does: strangers share that one.
    pub fn covers(&self, grants: Grants) -> Option<Covers> {
        Covers::of(&self.event, grants).filter(|_| self.event.session != SessionId::unknown())
    }
}

/// Something that happened to an inquiry, for the trail.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRecord {
    /// Which.
    pub inquiry: Inquiry,
    /// When.
    pub at: Timestamp,
    /// What.
    pub step: ApprovalStep,
}

/// What can happen to an inquiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalStep {
    /// It is about to be put.
    Required,
    /// It is over.
    Answered {
        /// With this.
        answer: HumanAnswer,
        /// How long that took.
        took: Duration,
    },
    /// The agent had put it to its own user, and the call has run.
    Observed {
        /// How long after the question.
        took: Duration,
    },
    /// The agent had put it to its own user, and nobody will ever know what that one said.
    Unknown,
    /// Whoever asked has died.
    Withdrawn {
        /// What is known of that.
        why: String,
    },
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
                HumanAnswer::Granted { .. } | HumanAnswer::StandingGrant { .. } => "approval:granted",
                HumanAnswer::Denied { .. }
                | HumanAnswer::StandingDeny { .. }
                | HumanAnswer::NoDesk { .. } => "approval:denied",
                HumanAnswer::TimedOut { .. } => "approval:timeout",
                HumanAnswer::Withdrawn { .. } | HumanAnswer::Deserted { .. } => "approval:withdrawn",
                HumanAnswer::LeftToHost => "approval:required",
            },
        }
    }
}
