//! In-memory implementations of every port: for our tests, and for people who test hooks or embed the runtime.

mod ledger;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenter_contract::limits::quarter_of_bytes;
use tenter_contract::ports::{
    AuditTrail, CallIdentity, ClaimOutcome, Clock, CountOp, DedupLock, Deferred, DeferredText,
    DuplicateCheck, FactFinder, HookExecutor, LedgerPage, ReplyCache, SessionStore, SharedDecision,
    StateError, TrailError, Wanted,
};
use tenter_contract::{
    Diagnostics, Event, Facts, HookReply, HookReport, HookSet, HookSpec, Moment, RecordBody, Session,
    SessionClaim, SessionCounter, SessionId, Timestamp, WantedFacts,
};

use crate::{
    ApprovalService, Approvers, AuditLog, HookCatalog, HookRunner, MemoryRegister, Runtime, SessionService,
};

pub use ledger::MemoryLedgers;

/// A clock that does not move.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoppedClock(pub Timestamp);

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Returns these facts for every query.
#[derive(Clone, Debug, Default)]
pub struct KnownFacts(pub Facts);

impl FactFinder for KnownFacts {
    fn find(&self, _: &WantedFacts, _: Option<&str>) -> Facts {
        self.0.clone()
    }

    fn fingerprint(&self, files: &[String], _: Option<&str>) -> Option<String> {
        Some(files.join(" "))
    }
}

/// Replies in memory.
#[derive(Debug, Default)]
pub struct MemoryReplies {
    kept: Mutex<HashMap<String, (HookReply, Timestamp)>>,
}

impl ReplyCache for MemoryReplies {
    fn find(&self, key: &str, ttl: Duration, now: Timestamp) -> Option<HookReply> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (reply, at) = kept.get(key)?;
        let age = Duration::from_millis(now.unix_ms.checked_sub(at.unix_ms)?);
        (age < ttl).then(|| reply.clone())
    }

    fn keep(&self, key: &str, reply: &HookReply, now: Timestamp) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(key.to_owned(), (reply.clone(), now));
    }
}

/// A trail in memory.
#[derive(Debug, Default)]
pub struct MemoryTrail {
    records: Mutex<Vec<RecordBody>>,
}

impl MemoryTrail {
    /// Everything that was recorded.
    pub fn records(&self) -> Vec<RecordBody> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl AuditTrail for MemoryTrail {
    fn append(&self, records: &[RecordBody], _: &mut Diagnostics) -> Result<u64, TrailError> {
        let mut all = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let first = all.len() as u64 + 1;
        all.extend_from_slice(records);
        Ok(first)
    }
}

/// Sessions in memory.
#[derive(Clone, Debug, Default)]
pub struct MemorySessions {
    kept: Arc<Mutex<HashMap<Option<SessionId>, Kept>>>,
    shared_decisions: SharedDecisions,
    /// What was injected into them.
    pub ledgers: MemoryLedgers,
}

/// Shared decisions by session and call; `None` while the hooks run.
type SharedDecisions = Arc<Mutex<HashMap<(SessionId, CallIdentity), Option<SharedDecision>>>>;

/// The lock on one of them.
struct MemoryDedupLock {
    shared_decisions: SharedDecisions,
    call: (SessionId, CallIdentity),
}

impl MemoryDedupLock {
    fn shared_decisions(&self) -> MutexGuard<'_, HashMap<(SessionId, CallIdentity), Option<SharedDecision>>> {
        self.shared_decisions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DedupLock for MemoryDedupLock {
    fn publish(self: Box<Self>, shared_decision: &SharedDecision) -> Result<(), StateError> {
        self.shared_decisions().insert(self.call.clone(), Some(shared_decision.clone()));
        Ok(())
    }
}

impl Drop for MemoryDedupLock {
    fn drop(&mut self) {
        let mut shared_decisions = self.shared_decisions();
        if shared_decisions.get(&self.call) == Some(&None) {
            shared_decisions.remove(&self.call);
        }
    }
}

#[derive(Debug, Default)]
struct Kept {
    session: Session,
    claims: Vec<SessionClaim>,
    deferred: Vec<Vec<Deferred>>,
    contexts: Vec<String>,
    counters: HashMap<String, u64>,
}

impl MemorySessions {
    /// The texts of the files of a session, in the order of their numbers.
    pub fn contexts(&self, session: &SessionId) -> Vec<String> {
        self.with(Some(session), |kept| kept.contexts.clone())
    }

    fn with<T>(&self, session: Option<&SessionId>, change: impl FnOnce(&mut Kept) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        change(kept.entry(session.cloned()).or_default())
    }
}

impl SessionStore for MemorySessions {
    fn recall(&self, session: &SessionId) -> Result<Session, StateError> {
        Ok(self.with(Some(session), |kept| kept.session.clone()))
    }

    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), StateError> {
        self.with(Some(session), |kept| {
            kept.session.project_root.get_or_insert_with(|| root.to_owned());
        });
        Ok(())
    }

    fn claim(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        Ok(self.with(session, |kept| {
            if kept.claims.contains(what) {
                return ClaimOutcome::Taken;
            }
            kept.claims.push(what.clone());
            ClaimOutcome::Granted
        }))
    }

    fn claimed(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<bool, StateError> {
        Ok(self.with(session, |kept| kept.claims.contains(what)))
    }

    fn release(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<(), StateError> {
        self.with(session, |kept| kept.claims.retain(|claimed| claimed != what));
        Ok(())
    }

    fn count(
        &self,
        session: Option<&SessionId>,
        what: &SessionCounter,
        op: CountOp,
    ) -> Result<u64, StateError> {
        Ok(self.with(session, |kept| {
            let count = kept.counters.entry(what.to_string()).or_default();
            *count = match op {
                CountOp::Increment => *count + 1,
                CountOp::Reset => 0,
                CountOp::Read => *count,
            };
            *count
        }))
    }

    fn keep_context(&self, session: Option<&SessionId>, text: &str) -> Result<String, StateError> {
        Ok(self.with(session, |kept| {
            kept.contexts.push(text.to_owned());
            format!("memory/context-{}.txt", kept.contexts.len())
        }))
    }

    fn defer(&self, session: &SessionId, texts: &[Deferred]) -> Result<(), StateError> {
        self.with(Some(session), |kept| kept.deferred.push(texts.to_vec()));
        Ok(())
    }

    fn take_deferred(
        &self,
        session: &SessionId,
        wanted: Wanted,
        _: Timestamp,
    ) -> Result<Vec<Deferred>, StateError> {
        let is_wanted = |texts: &mut Vec<Deferred>| match wanted {
            Wanted::Everything => true,
            Wanted::Messages => texts.iter().all(|text| matches!(text.text, DeferredText::Message(_))),
        };
        Ok(self.with(Some(session), |kept| kept.deferred.extract_if(.., is_wanted).flatten().collect()))
    }

    fn has_ledger(&self, session: &SessionId) -> Result<bool, StateError> {
        Ok(!self.ledgers.entries(session).is_empty())
    }

    fn open_ledger(&self, session: &SessionId, moment: &Moment) -> Result<Box<dyn LedgerPage>, StateError> {
        Ok(self.ledgers.open(session, moment))
    }

    fn check_duplicate(
        &self,
        session: &SessionId,
        call: &CallIdentity,
        until: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        let call = (session.clone(), call.clone());
        loop {
            let mut shared_decisions = self.shared_decisions.lock().unwrap_or_else(PoisonError::into_inner);
            match shared_decisions.get(&call) {
                Some(Some(shared_decision)) => return Ok(DuplicateCheck::Again(shared_decision.clone())),
                Some(None) => {}
                None => {
                    shared_decisions.insert(call.clone(), None);
                    let dedup_lock =
                        MemoryDedupLock { shared_decisions: Arc::clone(&self.shared_decisions), call };
                    return Ok(DuplicateCheck::First(Box::new(dedup_lock)));
                }
            }
            drop(shared_decisions);
            if Instant::now() >= until {
                return Ok(DuplicateCheck::Unsettled);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Runtime {
    /// A runtime without hooks that keeps everything in memory, with a clock that does not move. Replace its parts as
    /// needed.
    pub fn in_memory() -> Self {
        Self {
            catalog: HookCatalog {
                source: Box::new(HookSet::default()),
                facts: Arc::new(KnownFacts::default()),
                full_binary: None,
                is_home: |_| false,
                working_folder: || None,
            },
            runner: HookRunner {
                executors: Vec::new(),
                replies: Box::new(MemoryReplies::default()),
                background: None,
                progress: None,
            },
            sessions: SessionService {
                store: Box::new(MemorySessions::default()),
                tokens: quarter_of_bytes,
                outer_hook: None,
            },
            approvals: ApprovalService {
                approvers: Approvers::default(),
                register: Box::new(MemoryRegister::default()),
                still_wanted: || true,
            },
            audit: AuditLog { trail: Box::new(MemoryTrail::default()) },
            clock: Arc::new(StoppedClock::default()),
            deadline: None,
        }
    }
}

/// An executor that is a function.
pub struct FunctionExecutor<F>(pub F);

impl<F: Fn(&HookSpec, &Event) -> HookReport + Send + Sync> HookExecutor for FunctionExecutor<F> {
    fn runs(&self, _: &HookSpec) -> bool {
        true
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        (self.0)(hook, event)
    }
}
