//! Questions and standing answers in memory: for programs without a state folder, and for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_contract::ports::{ApprovalRegister, EnteredInquiry, ShelfError};
use tenter_contract::{Event, EventKind, HumanAnswer, Inquiry, Rule, SessionGrant, SessionId, Standing};

/// Questions and standing answers in memory. What it holds ends with the program, and nobody else sees it.
#[derive(Debug, Default)]
pub struct MemoryRegister {
    kept: Arc<Mutex<Kept>>,
    number: AtomicU64,
}

#[derive(Debug, Default)]
struct Kept {
    grants: Vec<SessionGrant>,
    rules: Vec<Rule>,
    with_host: Vec<Inquiry>,
}

impl MemoryRegister {
    /// One in which these rules stand.
    pub fn with_rules(rules: Vec<Rule>) -> Self {
        let kept = Kept { rules, ..Kept::default() };
        Self { kept: Arc::new(Mutex::new(kept)), number: AtomicU64::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApprovalRegister for MemoryRegister {
    fn enter(&self, inquiry: Inquiry) -> Result<Box<dyn EnteredInquiry>, ShelfError> {
        let id = format!("q{}", self.number.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(Box::new(InMemory { inquiry: Inquiry { id, ..inquiry }, kept: Arc::clone(&self.kept) }))
    }

    fn standing(&self, event: &Event) -> Result<Standing, ShelfError> {
        let kept = self.kept();
        let of_session =
            |grant: &&SessionGrant| grant.session == event.session && event.session != SessionId::unknown();
        let grants = kept.grants.iter().filter(of_session).cloned().collect();
        Ok(Standing { grants, rules: kept.rules.clone(), notices: Vec::new() })
    }

    fn end_session(&self, session: &SessionId) -> Result<(), ShelfError> {
        self.kept().grants.retain(|grant| grant.session != *session);
        Ok(())
    }

    fn left_to_host(&self, inquiry: &Inquiry) -> Result<(), ShelfError> {
        self.kept().with_host.push(inquiry.clone());
        Ok(())
    }

    fn settled_by(&self, event: &Event) -> Result<Vec<Inquiry>, ShelfError> {
        let call = |event: &Event| event.tool.as_ref().and_then(|tool| tool.call_id.clone());
        let settles = |inquiry: &mut Inquiry| {
            inquiry.event.session == event.session
                && match event.kind {
                    EventKind::ToolPost | EventKind::ToolError => {
                        call(event).is_some() && call(event) == call(&inquiry.event)
                    }
                    EventKind::PromptSubmit | EventKind::OrchestratorComplete | EventKind::SessionEnd => true,
                    _ => false,
                }
        };
        Ok(self.kept().with_host.extract_if(.., settles).collect())
    }

    /// Whoever dies takes the whole register along.
    fn withdraw_orphans(&self, _: &mut dyn FnMut(&Inquiry, &str) -> bool) -> Result<(), ShelfError> {
        Ok(())
    }
}

struct InMemory {
    inquiry: Inquiry,
    kept: Arc<Mutex<Kept>>,
}

impl EnteredInquiry for InMemory {
    fn inquiry(&self) -> &Inquiry {
        &self.inquiry
    }

    fn open(&mut self) -> Result<(), ShelfError> {
        Ok(())
    }

    fn answer(&self) -> Option<HumanAnswer> {
        None
    }

    /// Nobody outside of this process can answer, so none has done so while it was stopped.
    fn time_is_up(&self) -> bool {
        false
    }

    fn settle(&mut self, answer: HumanAnswer) -> Result<HumanAnswer, ShelfError> {
        Ok(answer)
    }

    fn close(self: Box<Self>, grants: &[SessionGrant]) -> Result<(), ShelfError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.grants.extend_from_slice(grants);
        Ok(())
    }
}
