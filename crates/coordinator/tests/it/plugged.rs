//! Parts of one's own, written with nothing but what this crate exports.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tenter_coordinator::{
    ApprovalRegister, Carried, ClaimOutcome, Delivery, EnteredInquiry, Event, EventKind, FunctionDesk,
    HookReply, HookSpec, HumanAnswer, Inquiry, LedgerPage, Mark, MemoryRegister, MemorySessions, Moment,
    Once, Session, SessionCoordinator, SessionId, SessionShelf, ShelfError, Standing, Timestamp, Wanted,
    in_process,
};

/// A register that counts how many questions are entered.
#[derive(Clone, Default)]
struct Counting {
    register: Arc<MemoryRegister>,
    entered: Arc<AtomicUsize>,
}

impl ApprovalRegister for Counting {
    fn enter(&self, inquiry: Inquiry) -> Result<Box<dyn EnteredInquiry>, ShelfError> {
        self.entered.fetch_add(1, Ordering::Relaxed);
        self.register.enter(inquiry)
    }

    fn standing(&self, event: &Event) -> Result<Standing, ShelfError> {
        self.register.standing(event)
    }

    fn end_session(&self, session: &SessionId) -> Result<(), ShelfError> {
        self.register.end_session(session)
    }

    fn left_to_host(&self, inquiry: &Inquiry) -> Result<(), ShelfError> {
        self.register.left_to_host(inquiry)
    }

    fn settled_by(&self, event: &Event) -> Result<Vec<Inquiry>, ShelfError> {
        self.register.settled_by(event)
    }

    fn withdraw_orphans(&self, record: &mut dyn FnMut(&Inquiry, &str) -> bool) -> Result<(), ShelfError> {
        self.register.withdraw_orphans(record)
    }
}

/// A shelf that outlives the session that uses it.
#[derive(Clone, Default)]
struct Shared(Arc<MemorySessions>);

impl SessionShelf for Shared {
    fn recall(&self, session: &SessionId) -> Result<Session, ShelfError> {
        self.0.recall(session)
    }

    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), ShelfError> {
        self.0.remember_project_root(session, root)
    }

    fn claim(&self, session: &SessionId, what: &str) -> Result<ClaimOutcome, ShelfError> {
        self.0.claim(session, what)
    }

    fn release(&self, session: &SessionId, what: &str) -> Result<(), ShelfError> {
        self.0.release(session, what)
    }

    fn tally(&self, session: &SessionId, what: &str, mark: Mark) -> Result<u64, ShelfError> {
        self.0.tally(session, what, mark)
    }

    fn keep_context(&self, session: &SessionId, text: &str) -> Result<String, ShelfError> {
        self.0.keep_context(session, text)
    }

    fn carry(&self, session: &SessionId, texts: &[Carried]) -> Result<(), ShelfError> {
        self.0.carry(session, texts)
    }

    fn take_carried(
        &self,
        session: &SessionId,
        wanted: Wanted,
        arrived: Timestamp,
    ) -> Result<Vec<Carried>, ShelfError> {
        self.0.take_carried(session, wanted, arrived)
    }

    fn has_ledger(&self, session: &SessionId) -> Result<bool, ShelfError> {
        self.0.has_ledger(session)
    }

    fn open_ledger(&self, session: &SessionId, moment: &Moment) -> Result<Box<dyn LedgerPage>, ShelfError> {
        self.0.open_ledger(session, moment)
    }

    fn deliver(&self, session: &SessionId, call: &str, until: Instant) -> Result<Delivery, ShelfError> {
        self.0.deliver(session, call, until)
    }
}

fn always(inquiry: &Inquiry) -> HumanAnswer {
    inquiry.question.choice("Allow always").unwrap().answer()
}

#[test]
fn what_a_person_allows_always_stands_in_the_register_that_is_plugged_in() {
    let register = Counting::default();
    let session = || {
        let builder = SessionCoordinator::builder("my-agent").session("one");
        let session = builder.approvals(register.clone()).desk(FunctionDesk(always)).build();
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
fn what_was_said_once_in_a_session_is_not_said_by_the_next_that_has_the_same_shelf() {
    let shelf = Shared::default();
    let messages = || {
        let session = SessionCoordinator::builder("my-agent").session("one").sessions(shelf.clone()).build();
        let hook = HookSpec { once: Once::Session, ..in_process(EventKind::PromptSubmit, "rules") };
        session.register_hook(hook, |_| HookReply::default().inject("Rules of the house.")).unwrap();
        session.emit(session.event(EventKind::PromptSubmit)).unwrap();
        session.messages().len()
    };
    assert_eq!([messages(), messages()], [1, 0]);
}
