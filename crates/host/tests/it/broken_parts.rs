//! Parts of a runtime that do not do what they should.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use tenter_contract::Diagnostics;
use tenter_contract::SessionClaim;
use tenter_contract::SessionCounter;
use tenter_contract::ports::CallIdentity;
use tenter_contract::ports::{
    Acceptance, AgentAdapter, ApprovalRegister, Approver, AuditTrail, Background, BackgroundJob,
    ClaimOutcome, CountOp, DecodeError, Decoded, Deferred, DuplicateCheck, EnteredRequest, SessionStore,
    StateError, Surroundings, TrailError, Waiting, Wanted,
};
use tenter_contract::{
    AgentName, AgentOutcome, Answer, ApprovalAnswer, ApprovalRequest, ApproverName, Capabilities, Event,
    RecordBody, SavedAnswers, Session, SessionId, Timestamp,
};

/// State on a disk that is full, read-only or gone.
pub(crate) struct Unusable;

fn broken() -> std::io::Error {
    std::io::Error::from(std::io::ErrorKind::StorageFull)
}

impl AuditTrail for Unusable {
    fn append(&self, _: &[RecordBody], _: &mut Diagnostics) -> Result<u64, TrailError> {
        Err(TrailError::Unusable { path: "audit".to_owned(), cause: broken() })
    }
}

impl SessionStore for Unusable {
    fn recall(&self, _: &SessionId) -> Result<Session, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn claim(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn release(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<(), StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn count(&self, _: Option<&SessionId>, _: &SessionCounter, _: CountOp) -> Result<u64, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn keep_context(&self, _: Option<&SessionId>, _: &str) -> Result<String, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn defer(&self, _: &SessionId, _: &[Deferred]) -> Result<(), StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn take_deferred(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Deferred>, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
    fn check_duplicate(
        &self,
        _: &SessionId,
        _: &CallIdentity,
        _: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: broken() })
    }
}

impl ApprovalRegister for Unusable {
    fn enter(&self, _: ApprovalRequest) -> Result<Box<dyn EnteredRequest>, StateError> {
        Err(StateError { path: "approvals".to_owned(), cause: broken() })
    }
    fn saved_answers(&self, _: &Event) -> Result<SavedAnswers, StateError> {
        Err(StateError { path: "approvals".to_owned(), cause: broken() })
    }
    fn end_session(&self, _: &SessionId) -> Result<(), StateError> {
        Err(StateError { path: "approvals".to_owned(), cause: broken() })
    }
    fn left_to_host(&self, _: &ApprovalRequest) -> Result<(), StateError> {
        Err(StateError { path: "approvals".to_owned(), cause: broken() })
    }
    fn settled_by(&self, _: &Event) -> Result<Vec<ApprovalRequest>, StateError> {
        Err(StateError { path: "approvals".to_owned(), cause: broken() })
    }
    fn withdraw_orphans(&self, _: &mut dyn FnMut(&ApprovalRequest, &str) -> bool) -> Result<(), StateError> {
        Err(StateError { path: "approvals".to_owned(), cause: broken() })
    }
}

/// An approver without an answer.
pub(crate) struct Silent;

impl Approver for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }
    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }
    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, waiting: &dyn Waiting) -> ApprovalAnswer {
        waiting.timed_out()
    }
}

/// An adapter with a bug.
pub(crate) struct Panicking<'a>(pub(crate) &'a dyn AgentAdapter);

impl AgentAdapter for Panicking<'_> {
    fn name(&self) -> AgentName {
        self.0.name()
    }
    fn environment(&self) -> &'static [&'static str] {
        self.0.environment()
    }
    fn project_variables(&self) -> &'static [&'static str] {
        self.0.project_variables()
    }
    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        self.0.decode(payload, surroundings)
    }
    fn capabilities(&self, event: &Event) -> Capabilities {
        self.0.capabilities(event)
    }
    fn encode(&self, _: &AgentOutcome) -> Answer {
        panic!("a bug")
    }
    fn silence(&self) -> Answer {
        self.0.silence()
    }
    fn refusal(&self, reason: &str) -> Answer {
        self.0.refusal(reason)
    }
}

/// A launcher that accepts jobs and does not finish them, or that accepts none.
#[derive(Clone, Default)]
pub(crate) struct Taker {
    pub(crate) taken: Arc<Mutex<Vec<BackgroundJob>>>,
    pub(crate) refuses: bool,
}

impl Background for Taker {
    fn start(&self, job: &BackgroundJob, _: Option<Instant>) -> Result<(), String> {
        if self.refuses {
            return Err("out of memory".to_owned());
        }
        self.taken.lock().unwrap().push(job.clone());
        Ok(())
    }
}
