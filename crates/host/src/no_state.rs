//! Stores without a state folder: hooks still run, and every event reports that nothing is kept.

use std::io::{Error, ErrorKind};
use std::time::{Duration, Instant};

use tenter_contract::ports::{
    ApprovalRegister, AuditTrail, CallIdentity, ClaimOutcome, CountOp, Deferred, DuplicateCheck,
    EnteredRequest, LedgerPage, ReplyCache, SessionStore, StateError, TrailError, Wanted,
};
use tenter_contract::{
    ApprovalRequest, Diagnostics, Event, HookReply, Moment, RecordBody, SavedAnswers, Session, SessionClaim,
    SessionCounter, SessionId, Timestamp,
};

/// No folder for state is known, because neither `XDG_STATE_HOME` nor `HOME` is set.
pub(crate) struct NoState;

const WHERE: &str = "$XDG_STATE_HOME/tenter";

fn cause() -> Error {
    Error::new(ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set to an absolute path")
}

fn nowhere() -> StateError {
    StateError { path: WHERE.to_owned(), cause: cause() }
}

impl AuditTrail for NoState {
    fn append(&self, _: &[RecordBody], _: &mut Diagnostics) -> Result<u64, TrailError> {
        Err(TrailError::Unusable { path: WHERE.to_owned(), cause: cause() })
    }
}

impl ReplyCache for NoState {
    fn find(&self, _: &str, _: Duration, _: Timestamp) -> Option<HookReply> {
        None
    }

    fn keep(&self, _: &str, _: &HookReply, _: Timestamp) {}
}

impl ApprovalRegister for NoState {
    fn enter(&self, _: ApprovalRequest) -> Result<Box<dyn EnteredRequest>, StateError> {
        Err(nowhere())
    }

    fn saved_answers(&self, _: &Event) -> Result<SavedAnswers, StateError> {
        Err(nowhere())
    }

    fn end_session(&self, _: &SessionId) -> Result<(), StateError> {
        Ok(())
    }

    fn left_to_host(&self, _: &ApprovalRequest) -> Result<(), StateError> {
        Err(nowhere())
    }

    fn settled_by(&self, _: &Event) -> Result<Vec<ApprovalRequest>, StateError> {
        Ok(Vec::new())
    }

    fn withdraw_orphans(&self, _: &mut dyn FnMut(&ApprovalRequest, &str) -> bool) -> Result<(), StateError> {
        Ok(())
    }
}

impl SessionStore for NoState {
    fn recall(&self, _: &SessionId) -> Result<Session, StateError> {
        Err(nowhere())
    }

    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), StateError> {
        Err(nowhere())
    }

    fn claim(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        Err(nowhere())
    }

    fn release(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<(), StateError> {
        Err(nowhere())
    }

    fn count(&self, _: Option<&SessionId>, _: &SessionCounter, _: CountOp) -> Result<u64, StateError> {
        Err(nowhere())
    }

    fn keep_context(&self, _: Option<&SessionId>, _: &str) -> Result<String, StateError> {
        Err(nowhere())
    }

    fn defer(&self, _: &SessionId, _: &[Deferred]) -> Result<(), StateError> {
        Err(nowhere())
    }

    fn take_deferred(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Deferred>, StateError> {
        Err(nowhere())
    }

    fn open_ledger(&self, _: &SessionId, _: &Moment) -> Result<Box<dyn LedgerPage>, StateError> {
        Err(nowhere())
    }

    fn check_duplicate(
        &self,
        _: &SessionId,
        _: &CallIdentity,
        _: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        Err(nowhere())
    }
}
