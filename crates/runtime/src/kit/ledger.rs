//! A ledger in memory.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tenter_contract::ports::{LedgerPage, ShelfError};
use tenter_contract::{
    ContextId, Fate, Fund, Injection, LedgerEntry, Moment, SessionId, Shortened, Source, Spent,
};

/// The ledgers of many sessions. A page is in one pair of hands.
#[derive(Clone, Debug, Default)]
pub struct MemoryLedgers(Arc<(Mutex<Kept>, Condvar)>);

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<SessionId, Vec<(Moment, LedgerEntry)>>,
    taken: Vec<SessionId>,
}

impl MemoryLedgers {
    /// Everything that was entered for a session.
    pub fn entries(&self, session: &SessionId) -> Vec<(Moment, LedgerEntry)> {
        self.kept().entries.get(session).cloned().unwrap_or_default()
    }

    /// Waits until nobody has the page of that session, and takes it.
    pub fn open(&self, session: &SessionId, moment: &Moment) -> Box<dyn LedgerPage> {
        let mut kept = self.kept();
        while kept.taken.contains(session) {
            kept = self.0.1.wait(kept).unwrap_or_else(PoisonError::into_inner);
        }
        kept.taken.push(session.clone());
        Box::new(Page { ledgers: self.clone(), session: session.clone(), moment: moment.clone() })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Page {
    ledgers: MemoryLedgers,
    session: SessionId,
    moment: Moment,
}

impl Page {
    fn spent_where(&self, counts: impl Fn(&Moment, &LedgerEntry) -> bool) -> u64 {
        let entries = self.ledgers.entries(&self.session);
        entries.iter().filter(|(moment, entry)| counts(moment, entry)).map(|(_, entry)| entry.tokens).sum()
    }

    fn in_turn(&self, fund: Fund) -> u64 {
        self.spent_where(|moment, entry| moment.turn == self.moment.turn && entry.fund == fund)
    }

    /// The texts of a hook that were said in this context, each with its moment.
    fn said(&self, by: &Source) -> Vec<(Moment, LedgerEntry)> {
        let here = |moment: &Moment, context: &ContextId| moment.context == *context;
        let mut entries = self.ledgers.entries(&self.session);
        entries.retain(|(moment, entry)| here(moment, &self.moment.context) && entry.by == *by);
        entries
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.ledgers.kept().taken.retain(|taken| *taken != self.session);
        self.ledgers.0.1.notify_all();
    }
}

impl LedgerPage for Page {
    fn spent(&self) -> Spent {
        Spent {
            turn: self.in_turn(Fund::Hooks),
            memory: self.in_turn(Fund::Memory),
            session: self.spent_where(|_, _| true),
        }
    }

    fn is_in_context(&self, by: &Source, injection: &Injection) -> Result<bool, ShelfError> {
        let same = |entry: &LedgerEntry| identity(&entry.injection) == identity(injection);
        Ok(self.said(by).iter().any(|(_, entry)| entry.fate.is_in_context() && same(entry)))
    }

    fn was_said_last(&self, by: &Source, injection: &Injection) -> Result<bool, ShelfError> {
        let mut said = self.said(by);
        said.retain(|(_, entry)| entry.fate.is_in_context() || entry.fate == Fate::Line);
        let Some((last, _)) = said.last() else { return Ok(false) };
        let report = said.iter().filter(|(moment, _)| moment == last);
        Ok(report.into_iter().any(|(_, entry)| identity(&entry.injection) == identity(injection)))
    }

    fn enter(self: Box<Self>, entries: &[LedgerEntry]) -> Result<(), ShelfError> {
        let added = entries.iter().map(|entry| (self.moment.clone(), entry.clone()));
        self.ledgers.kept().entries.entry(self.session.clone()).or_default().extend(added);
        Ok(())
    }
}

/// What makes a text the same as another one.
fn identity(injection: &Injection) -> (Option<&str>, Option<(usize, u64)>, Option<&str>) {
    match (&injection.key, &injection.shortened) {
        (Some(key), _) => (Some(key), None, None),
        (None, Some(Shortened { bytes, digest, .. })) => (None, Some((*bytes, *digest)), None),
        (None, None) => (None, None, Some(&injection.content)),
    }
}
