//! Parts of a runtime that do not do what they should.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use tenter_contract::ports::{
    AgentAdapter, ApprovalDesk, ApprovalRegister, AuditTrail, Background, Carried, ClaimOutcome, DecodeError,
    Decoded, Delivery, EnteredInquiry, Errand, Mark, SessionShelf, ShelfError, Surroundings, Takes,
    TrailError, Waiting, Wanted,
};
use tenter_contract::{
    Abilities, AgentName, Answer, Event, Fitted, HumanAnswer, Inquiry, NamedDesk, RecordBody, Session,
    SessionId, Standing, Timestamp,
};

/// State on a disk that is full, read-only or gone.
pub(crate) struct Unusable;

fn broken() -> std::io::Error {
    std::io::Error::from(std::io::ErrorKind::StorageFull)
}

impl AuditTrail for Unusable {
    fn append(&self, _: &[RecordBody]) -> Result<u64, TrailError> {
        Err(TrailError::Unusable { path: "audit".to_owned(), cause: broken() })
    }
}

impl SessionShelf for Unusable {
    fn recall(&self, _: &SessionId) -> Result<Session, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn claim(&self, _: &SessionId, _: &str) -> Result<ClaimOutcome, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn release(&self, _: &SessionId, _: &str) -> Result<(), ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn tally(&self, _: &SessionId, _: &str, _: Mark) -> Result<u64, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn keep_context(&self, _: &SessionId, _: &str) -> Result<String, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn carry(&self, _: &SessionId, _: &[Carried]) -> Result<(), ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn take_carried(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Carried>, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
    fn deliver(&self, _: &SessionId, _: &str, _: Instant) -> Result<Delivery, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: broken() })
    }
}

impl ApprovalRegister for Unusable {
    fn enter(&self, _: Inquiry) -> Result<Box<dyn EnteredInquiry>, ShelfError> {
        Err(ShelfError { path: "approvals".to_owned(), cause: broken() })
    }
    fn standing(&self, _: &Event) -> Result<Standing, ShelfError> {
        Err(ShelfError { path: "approvals".to_owned(), cause: broken() })
    }
    fn end_session(&self, _: &SessionId) -> Result<(), ShelfError> {
        Err(ShelfError { path: "approvals".to_owned(), cause: broken() })
    }
    fn left_to_host(&self, _: &Inquiry) -> Result<(), ShelfError> {
        Err(ShelfError { path: "approvals".to_owned(), cause: broken() })
    }
    fn settled_by(&self, _: &Event) -> Result<Vec<Inquiry>, ShelfError> {
        Err(ShelfError { path: "approvals".to_owned(), cause: broken() })
    }
    fn withdraw_orphans(&self, _: &mut dyn FnMut(&Inquiry, &str) -> bool) -> Result<(), ShelfError> {
        Err(ShelfError { path: "approvals".to_owned(), cause: broken() })
    }
}

/// A desk at which nobody says anything.
pub(crate) struct Silent;

impl ApprovalDesk for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }
    fn takes(&self, _: &Inquiry, _: Option<&NamedDesk>) -> Takes {
        Takes::Yes
    }
    fn ask(&self, _: &Inquiry, _: Option<&NamedDesk>, waiting: &dyn Waiting) -> HumanAnswer {
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
    fn abilities(&self, event: &Event) -> Abilities {
        self.0.abilities(event)
    }
    fn encode(&self, _: &Fitted) -> Answer {
        panic!("a bug")
    }
    fn silence(&self) -> Answer {
        self.0.silence()
    }
    fn refusal(&self, reason: &str) -> Answer {
        self.0.refusal(reason)
    }
}

/// Somebody who takes errands and has not done them yet, or who takes none.
#[derive(Clone, Default)]
pub(crate) struct Taker {
    pub(crate) taken: Arc<Mutex<Vec<Errand>>>,
    pub(crate) refuses: bool,
}

impl Background for Taker {
    fn start(&self, errand: &Errand, _: Option<Instant>) -> Result<(), String> {
        if self.refuses {
            return Err("out of memory".to_owned());
        }
        self.taken.lock().unwrap().push(errand.clone());
        Ok(())
    }
}
