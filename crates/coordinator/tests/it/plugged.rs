//! Custom parts that use only the exports of this crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tenter_coordinator::{
    ApprovalAnswer, ApprovalRegister, ApprovalRequest, CallIdentity, ClaimOutcome, CountOp, Deferred,
    DuplicateCheck, EnteredRequest, Event, EventKind, FunctionApprover, HookReply, HookSpec, LedgerPage,
    MemoryRegister, MemorySessions, Moment, Once, SavedAnswers, Session, SessionClaim, SessionCoordinator,
    SessionCounter, SessionId, SessionStore, StateError, Timestamp, Wanted, in_process,
};

/// A register that counts its questions.
#[derive(Clone, Default)]
struct Counting {
    register: Arc<MemoryRegister>,
    entered: Arc<AtomicUsize>,
}

impl ApprovalRegister for Counting {
    fn enter(&self, request: ApprovalRequest) -> Result<Box<dyn EnteredRequest>, StateError> {
        self.entered.fetch_add(1, Ordering::Relaxed);
        self.register.enter(request)
    }

    fn saved_answers(&self, event: &Event) -> Result<SavedAnswers, StateError> {
        self.register.saved_answers(event)
    }

    fn end_session(&self, session: &SessionId) -> Result<(), StateError> {
        self.register.end_session(session)
    }

    fn left_to_host(&self, request: &ApprovalRequest) -> Result<(), StateError> {
        self.register.left_to_host(request)
    }

    fn settled_by(&self, event: &Event) -> Result<Vec<ApprovalRequest>, StateError> {
        self.register.settled_by(event)
    }

    fn withdraw_orphans(
        &self,
        record: &mut dyn FnMut(&ApprovalRequest, &str) -> bool,
    ) -> Result<(), StateError> {
        self.register.withdraw_orphans(record)
    }
}

/// A session store that outlives the session that uses it.
#[derive(Clone, Default)]
struct Shared(Arc<MemorySessions>);

impl SessionStore for Shared {
    fn recall(&self, session: &SessionId) -> Result<Session, StateError> {
        self.0.recall(session)
    }

    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), StateError> {
        self.0.remember_project_root(session, root)
    }

    fn claim(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        self.0.claim(session, what)
    }

    fn release(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<(), StateError> {
        self.0.release(session, what)
    }

    fn count(
        &self,
        session: Option<&SessionId>,
        what: &SessionCounter,
        mark: CountOp,
    ) -> Result<u64, StateError> {
        self.0.count(session, what, mark)
    }

    fn keep_context(&self, session: Option<&SessionId>, text: &str) -> Result<String, StateError> {
        self.0.keep_context(session, text)
    }

    fn defer(&self, session: &SessionId, texts: &[Deferred]) -> Result<(), StateError> {
        self.0.defer(session, texts)
    }

    fn take_deferred(
        &self,
        session: &SessionId,
        wanted: Wanted,
        arrived: Timestamp,
    ) -> Result<Vec<Deferred>, StateError> {
        self.0.take_deferred(session, wanted, arrived)
    }

    fn has_ledger(&self, session: &SessionId) -> Result<bool, StateError> {
        self.0.has_ledger(session)
    }

    fn open_ledger(&self, session: &SessionId, moment: &Moment) -> Result<Box<dyn LedgerPage>, StateError> {
        self.0.open_ledger(session, moment)
    }

    fn check_duplicate(
        &self,
        session: &SessionId,
        call: &CallIdentity,
        until: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        self.0.check_duplicate(session, call, until)
    }
}

fn always(request: &ApprovalRequest) -> ApprovalAnswer {
    request.question.choice("Allow always").unwrap().answer()
}

#[test]
fn allow_always_is_in_the_register() {
    let register = Counting::default();
    let session = || {
        let builder = SessionCoordinator::builder("my-agent").session("one");
        let session = builder.approvals(register.clone()).approver(FunctionApprover(always)).build();
        session.register(EventKind::ToolPre, "deploys", 0, |_| HookReply::ask_or_always("Deploy?")).unwrap();
        session
    };
    for session in [session(), session()] {
        session.emit(session.event(EventKind::ToolPre)).unwrap();
        session.emit(session.event(EventKind::ToolPre)).unwrap();
    }
    assert_eq!(register.entered.load(Ordering::Relaxed), 1);
}

#[test]
fn shared_store_keeps_the_ledger() {
    let session_store = Shared::default();
    let messages = || {
        let session =
            SessionCoordinator::builder("my-agent").session("one").sessions(session_store.clone()).build();
        let hook = HookSpec { once: Once::Session, ..in_process(EventKind::PromptSubmit, "rules") };
        session.register_hook(hook, |_| HookReply::default().inject("Rules of the house.")).unwrap();
        session.emit(session.event(EventKind::PromptSubmit)).unwrap();
        session.messages().len()
    };
    assert_eq!([messages(), messages()], [1, 0]);
}
