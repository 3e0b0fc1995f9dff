//! Fakes for every port: for our own tests, and for people who test hooks or embed the runtime.

mod ledger;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenter_contract::ports::{
    AuditTrail, Carried, CarriedText, ClaimOutcome, Clock, Delivery, Docket, FactFinder, HookExecutor,
    LedgerPage, Mark, ReplyCache, Ruling, SessionShelf, ShelfError, TrailError, Wanted,
};
use tenter_contract::{
    Event, Facts, HookReply, HookReport, HookSpec, Moment, RecordBody, Session, SessionId, Timestamp,
    WantedFacts,
};

pub use ledger::MemoryLedgers;

/// A clock that stands still.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoppedClock(pub Timestamp);

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A place of which these facts are known, whatever is wanted.
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
        self.records.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl AuditTrail for MemoryTrail {
    fn append(&self, records: &[RecordBody]) -> Result<u64, TrailError> {
        let mut all = self.records.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let first = all.len() as u64 + 1;
        all.extend_from_slice(records);
        Ok(first)
    }
}

/// Sessions in memory.
#[derive(Clone, Debug, Default)]
pub struct MemorySessions {
    kept: Arc<Mutex<HashMap<SessionId, Kept>>>,
    rulings: Rulings,
    /// What was injected into them.
    pub ledgers: MemoryLedgers,
}

/// Rulings by session and call; none as long as somebody is at it.
type Rulings = Arc<Mutex<HashMap<(SessionId, String), Option<Ruling>>>>;

/// A place among them.
struct MemoryDocket {
    rulings: Rulings,
    call: (SessionId, String),
}

impl MemoryDocket {
    fn rulings(&self) -> MutexGuard<'_, HashMap<(SessionId, String), Option<Ruling>>> {
        self.rulings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Docket for MemoryDocket {
    fn publish(self: Box<Self>, ruling: &Ruling) -> Result<(), ShelfError> {
        self.rulings().insert(self.call.clone(), Some(ruling.clone()));
        Ok(())
    }
}

impl Drop for MemoryDocket {
    fn drop(&mut self) {
        let mut rulings = self.rulings();
        if rulings.get(&self.call) == Some(&None) {
            rulings.remove(&self.call);
        }
    }
}

#[derive(Debug, Default)]
struct Kept {
    session: Session,
    claims: Vec<String>,
    carried: Vec<Vec<Carried>>,
    contexts: Vec<String>,
    tallies: HashMap<String, u64>,
}

impl MemorySessions {
    /// The texts of the files of a session, in the order of their numbers.
    pub fn contexts(&self, session: &SessionId) -> Vec<String> {
        self.with(session, |kept| kept.contexts.clone())
    }

    fn with<T>(&self, session: &SessionId, change: impl FnOnce(&mut Kept) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match kept.get_mut(session) {
            Some(kept) => change(kept),
            None => change(kept.entry(session.clone()).or_default()),
        }
    }
}

impl SessionShelf for MemorySessions {
    fn recall(&self, session: &SessionId) -> Result<Session, ShelfError> {
        Ok(self.with(session, |kept| kept.session.clone()))
    }

    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), ShelfError> {
        self.with(session, |kept| kept.session.project_root.get_or_insert_with(|| root.to_owned()).clone());
        Ok(())
    }

    fn claim(&self, session: &SessionId, what: &str) -> Result<ClaimOutcome, ShelfError> {
        Ok(self.with(session, |kept| {
            if kept.claims.iter().any(|claimed| claimed == what) {
                return ClaimOutcome::Taken;
            }
            kept.claims.push(what.to_owned());
            ClaimOutcome::Granted
        }))
    }

    fn claimed(&self, session: &SessionId, what: &str) -> Result<bool, ShelfError> {
        Ok(self.with(session, |kept| kept.claims.iter().any(|claimed| claimed == what)))
    }

    fn release(&self, session: &SessionId, what: &str) -> Result<(), ShelfError> {
        self.with(session, |kept| kept.claims.retain(|claimed| claimed != what));
        Ok(())
    }

    fn tally(&self, session: &SessionId, what: &str, mark: Mark) -> Result<u64, ShelfError> {
        Ok(self.with(session, |kept| {
            let count = kept.tallies.entry(what.to_owned()).or_default();
            *count = match mark {
                Mark::One => *count + 1,
                Mark::Restart => 0,
                Mark::Look => *count,
            };
            *count
        }))
    }

    fn keep_context(&self, session: &SessionId, text: &str) -> Result<String, ShelfError> {
        Ok(self.with(session, |kept| {
            kept.contexts.push(text.to_owned());
            format!("memory/context-{}.txt", kept.contexts.len())
        }))
    }

    fn carry(&self, session: &SessionId, texts: &[Carried]) -> Result<(), ShelfError> {
        self.with(session, |kept| kept.carried.push(texts.to_vec()));
        Ok(())
    }

    fn take_carried(
        &self,
        session: &SessionId,
        wanted: Wanted,
        _: Timestamp,
    ) -> Result<Vec<Carried>, ShelfError> {
        let is_wanted = |texts: &mut Vec<Carried>| match wanted {
            Wanted::Everything => true,
            Wanted::Messages => texts.iter().all(|text| matches!(text.text, CarriedText::Message(_))),
        };
        Ok(self.with(session, |kept| kept.carried.extract_if(.., is_wanted).flatten().collect()))
    }

    fn has_ledger(&self, session: &SessionId) -> Result<bool, ShelfError> {
        Ok(!self.ledgers.entries(session).is_empty())
    }

    fn open_ledger(&self, session: &SessionId, moment: &Moment) -> Result<Box<dyn LedgerPage>, ShelfError> {
        Ok(self.ledgers.open(session, moment))
    }

    fn deliver(&self, session: &SessionId, call: &str, until: Instant) -> Result<Delivery, ShelfError> {
        let call = (session.clone(), call.to_owned());
        loop {
            let mut rulings = self.rulings.lock().unwrap_or_else(PoisonError::into_inner);
            match rulings.get(&call) {
                Some(Some(ruling)) => return Ok(Delivery::Again(ruling.clone())),
                Some(None) => {}
                None => {
                    rulings.insert(call.clone(), None);
                    let docket = MemoryDocket { rulings: Arc::clone(&self.rulings), call };
                    return Ok(Delivery::First(Box::new(docket)));
                }
            }
            drop(rulings);
            if Instant::now() >= until {
                return Ok(Delivery::Unsettled);
            }
            std::thread::sleep(Duration::from_millis(1));
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
