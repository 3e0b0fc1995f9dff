//! Questions and saved answers in memory: for programs without a state folder, and for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_contract::ports::{ApprovalRegister, EnteredRequest, StateError};
use tenter_contract::{
    ApprovalAnswer, ApprovalRequest, Event, EventKind, Rule, SavedAnswers, SessionGrant, SessionId,
};

/// Questions and saved answers in memory. They end with the program, and no other process sees them.
#[derive(Debug, Default)]
pub struct MemoryRegister {
    kept: Arc<Mutex<Kept>>,
    number: AtomicU64,
}

#[derive(Debug, Default)]
struct Kept {
    grants: Vec<SessionGrant>,
    rules: Vec<Rule>,
    with_host: Vec<ApprovalRequest>,
}

impl MemoryRegister {
    /// A register with these rules.
    pub fn with_rules(rules: Vec<Rule>) -> Self {
        let kept = Kept { rules, ..Kept::default() };
        Self { kept: Arc::new(Mutex::new(kept)), number: AtomicU64::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApprovalRegister for MemoryRegister {
    fn enter(&self, request: ApprovalRequest) -> Result<Box<dyn EnteredRequest>, StateError> {
        let id = format!("q{}", self.number.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(Box::new(InMemory { request: ApprovalRequest { id, ..request }, kept: Arc::clone(&self.kept) }))
    }

    fn saved_answers(&self, event: &Event) -> Result<SavedAnswers, StateError> {
        let kept = self.kept();
        let of_session = |grant: &&SessionGrant| Some(&grant.session) == event.session.as_ref();
        let grants = kept.grants.iter().filter(of_session).cloned().collect();
        Ok(SavedAnswers { grants, rules: kept.rules.clone(), notices: Vec::new() })
    }

    fn end_session(&self, session: &SessionId) -> Result<(), StateError> {
        self.kept().grants.retain(|grant| grant.session != *session);
        Ok(())
    }

    fn left_to_host(&self, request: &ApprovalRequest) -> Result<(), StateError> {
        self.kept().with_host.push(request.clone());
        Ok(())
    }

    fn settled_by(&self, event: &Event) -> Result<Vec<ApprovalRequest>, StateError> {
        let call = |event: &Event| event.tool.as_ref().and_then(|tool| tool.call_id.clone());
        let settles = |request: &mut ApprovalRequest| {
            request.event.session == event.session
                && match event.kind {
                    EventKind::ToolPost | EventKind::ToolError => {
                        call(event).is_some() && call(event) == call(&request.event)
                    }
                    EventKind::PromptSubmit | EventKind::OrchestratorComplete | EventKind::SessionEnd => true,
                    _ => false,
                }
        };
        Ok(self.kept().with_host.extract_if(.., settles).collect())
    }

    /// A process that dies takes the whole register with it.
    fn withdraw_orphans(&self, _: &mut dyn FnMut(&ApprovalRequest, &str) -> bool) -> Result<(), StateError> {
        Ok(())
    }
}

struct InMemory {
    request: ApprovalRequest,
    kept: Arc<Mutex<Kept>>,
}

impl EnteredRequest for InMemory {
    fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    fn open(&mut self) -> Result<(), StateError> {
        Ok(())
    }

    fn answer(&self) -> Option<ApprovalAnswer> {
        None
    }

    /// No other process can answer, so no answer came while this one was stopped.
    fn time_is_up(&self) -> bool {
        false
    }

    fn settle(&mut self, answer: ApprovalAnswer) -> Result<ApprovalAnswer, StateError> {
        Ok(answer)
    }

    fn close(self: Box<Self>, grants: &[SessionGrant]) -> Result<(), StateError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.grants.extend_from_slice(grants);
        Ok(())
    }
}
