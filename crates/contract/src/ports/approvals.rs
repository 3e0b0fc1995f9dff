//! Approvers, and the register of questions and saved answers.

use std::time::Instant;

use crate::ports::StateError;
use crate::{ApprovalAnswer, ApprovalRequest, ApproverName, Event, SavedAnswers, SessionGrant, SessionId};

/// Asks a person.
///
/// Duties: return the person's answer and nothing else, never grant on an error, and return when the time is up or
/// when the question was answered elsewhere. If the person can no longer answer, return
/// [`ApprovalAnswer::ApproverGone`]: the question goes to the next approver.
pub trait Approver: Send + Sync {
    /// Its name in records.
    fn name(&self) -> &'static str;

    /// Whether it takes this question now. `named` is the approver that the hook file names, if any.
    fn takes(&self, request: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance;

    /// Asks. Called only if it takes the question and that is recorded.
    fn ask(
        &self,
        request: &ApprovalRequest,
        named: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer;
}

impl<T: Approver + ?Sized> Approver for std::sync::Arc<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn takes(&self, request: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        (**self).takes(request, named)
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        named: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        (**self).ask(request, named, waiting)
    }
}

/// Whether an approver takes a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// It does.
    Yes,
    /// Other approvers must take it.
    NotMine,
    /// It would, but cannot.
    No {
        /// Why, in words for the user.
        why: String,
    },
}

/// What an approver needs to know while it waits.
pub trait Waiting {
    /// The answer, if it came from another approver or is no longer wanted.
    fn elsewhere(&self) -> Option<ApprovalAnswer>;

    /// When the time is up.
    fn until(&self) -> Instant;

    /// The answer for the end of the time.
    fn timed_out(&self) -> ApprovalAnswer;
}

/// Keeps open questions and saved answers.
///
/// Duties: a question is not visible before it is opened; of many answers to one question, and the end of its time,
/// exactly one counts; a question whose process has died can be recognised, and an answer to it grants nothing; a
/// session grant counts from the moment its question is closed, and not before.
pub trait ApprovalRegister: Send + Sync {
    /// Enters a question under an id of its own, which replaces the one it has.
    fn enter(&self, request: ApprovalRequest) -> Result<Box<dyn EnteredRequest>, StateError>;

    /// The saved answers where this event happened.
    fn saved_answers(&self, event: &Event) -> Result<SavedAnswers, StateError>;

    /// Ends all grants of a session.
    fn end_session(&self, session: &SessionId) -> Result<(), StateError>;

    /// Remembers a question that the agent asks its own user.
    fn left_to_host(&self, request: &ApprovalRequest) -> Result<(), StateError>;

    /// Takes the questions of the agent that this event settles, each once.
    fn settled_by(&self, event: &Event) -> Result<Vec<ApprovalRequest>, StateError>;

    /// Removes questions whose processes have died. One process at a time passes each to `record` with the reason,
    /// and removes it with its grants if that returns true.
    fn withdraw_orphans(
        &self,
        record: &mut dyn FnMut(&ApprovalRequest, &str) -> bool,
    ) -> Result<(), StateError>;
}

/// A question that this process has entered. Dropped without being closed, as when the process dies, it is an
/// orphan.
pub trait EnteredRequest {
    /// The question, with its id.
    fn request(&self) -> &ApprovalRequest;

    /// Lets others see and answer it.
    fn open(&mut self) -> Result<(), StateError>;

    /// The answer of another process that came in time, however late this is called.
    fn answer(&self) -> Option<ApprovalAnswer>;

    /// Whether its time is up, also if this process was stopped or the machine slept meanwhile.
    fn time_is_up(&self) -> bool;

    /// Ends it with this answer, unless another one came in time, and returns the answer that counts. No answer is
    /// accepted after that.
    fn settle(&mut self, answer: ApprovalAnswer) -> Result<ApprovalAnswer, StateError>;

    /// Takes it out of the register. These grants count from now on.
    fn close(self: Box<Self>, grants: &[SessionGrant]) -> Result<(), StateError>;
}
