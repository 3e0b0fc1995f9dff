//! Stand-ins for state that has no place: hooks still run, and every event says that nothing is kept.

use std::io::{Error, ErrorKind};
use std::time::{Duration, Instant};

use tenter_contract::ports::{
    ApprovalRegister, AuditTrail, Carried, ClaimOutcome, Delivery, EnteredInquiry, LedgerPage, Mark,
    ReplyCache, SessionShelf, ShelfError, TrailError, Wanted,
};
use tenter_contract::{
    Event, HookReply, Inquiry, Moment, RecordBody, Session, SessionId, Standing, Timestamp,
};

/// No folder for state is known, because neither `XDG_STATE_HOME` nor `HOME` is set.
pub(crate) struct Stateless;

const WHERE: &str = "$XDG_STATE_HOME/tenter";

fn cause() -> Error {
    Error::new(ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set to an absolute path")
}

fn nowhere() -> ShelfError {
    ShelfError { path: WHERE.to_owned(), cause: cause() }
}

impl AuditTrail for Stateless {
    fn append(&self, _: &[RecordBody]) -> Result<u64, TrailError> {
        Err(TrailError::Unusable { path: WHERE.to_owned(), cause: cause() })
    }
}

impl ReplyCache for Stateless {
    fn find(&self, _: &str, _: Duration, _: Timestamp) -> Option<HookReply> {
        None
    }

    fn keep(&self, _: &str, _: &HookReply, _: Timestamp) {}
}

impl ApprovalRegister for Stateless {
    fn enter(&self, _: Inquiry) -> Result<Box<dyn EnteredInquiry>, ShelfError> {
        Err(nowhere())
    }

    fn standing(&self, _: &Event) -> Result<Standing, ShelfError> {
        Err(nowhere())
    }

    fn end_session(&self, _: &SessionId) -> Result<(), ShelfError> {
        Ok(())
    }

    fn left_to_host(&self, _: &Inquiry) -> Result<(), ShelfError> {
        Err(nowhere())
    }

    fn settled_by(&self, _: &Event) -> Result<Vec<Inquiry>, ShelfError> {
        Ok(Vec::new())
    }

    fn withdraw_orphans(&self, _: &mut dyn FnMut(&Inquiry, &str) -> bool) -> Result<(), ShelfError> {
        Ok(())
    }
}

impl SessionShelf for Stateless {
    fn recall(&self, _: &SessionId) -> Result<Session, ShelfError> {
        Err(nowhere())
    }

    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), ShelfError> {
        Err(nowhere())
    }

    fn claim(&self, _: &SessionId, _: &str) -> Result<ClaimOutcome, ShelfError> {
        Err(nowhere())
    }

    fn release(&self, _: &SessionId, _: &str) -> Result<(), ShelfError> {
        Err(nowhere())
    }

    fn tally(&self, _: &SessionId, _: &str, _: Mark) -> Result<u64, ShelfError> {
        Err(nowhere())
    }

    fn keep_context(&self, _: &SessionId, _: &str) -> Result<String, ShelfError> {
        Err(nowhere())
    }

    fn carry(&self, _: &SessionId, _: &[Carried]) -> Result<(), ShelfError> {
        Err(nowhere())
    }

    fn take_carried(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Carried>, ShelfError> {
        Err(nowhere())
    }

    fn open_ledger(&self, _: &SessionId, _: &Moment) -> Result<Box<dyn LedgerPage>, ShelfError> {
        Err(nowhere())
    }

    fn deliver(&self, _: &SessionId, _: &str, _: Instant) -> Result<Delivery, ShelfError> {
        Err(nowhere())
    }
}
