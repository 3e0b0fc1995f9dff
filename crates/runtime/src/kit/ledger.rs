//! A ledger in memory. It keeps sums and the latest texts, so that every entry costs the same.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tenter_contract::ports::{LedgerPage, StateError};
use tenter_contract::{
    BudgetCategory, ContextId, Injection, InjectionStatus, LedgerEntry, Moment, SessionId, Shortened, Source,
    Spent,
};

/// The ledgers of many sessions. One caller at a time has the page of a session.
#[derive(Clone, Debug, Default)]
pub struct MemoryLedgers(Arc<(Mutex<Kept>, Condvar)>);

#[derive(Debug, Default)]
struct Kept {
    ledgers: HashMap<SessionId, Ledger>,
    taken: Vec<SessionId>,
}

#[derive(Debug, Default)]
struct Ledger {
    entries: Vec<(Moment, LedgerEntry)>,
    session: u64,
    turns: HashMap<(String, BudgetCategory), u64>,
    in_context: HashSet<(Author, Identity)>,
    latest: HashMap<Author, Vec<Identity>>,
}

/// A hook, in one context.
type Author = (ContextId, Source);

/// Two texts with the same identity are the same text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    Key(String),
    Long { bytes: usize, digest: u64 },
    Text(String),
}

impl Identity {
    fn new(injection: &Injection) -> Self {
        match (&injection.key, injection.form.shortened()) {
            (Some(key), _) => Self::Key(key.clone()),
            (None, Some(Shortened { bytes, digest, .. })) => Self::Long { bytes: *bytes, digest: *digest },
            (None, None) => Self::Text(injection.content.clone()),
        }
    }
}

impl Ledger {
    fn enter(&mut self, moment: &Moment, entries: &[LedgerEntry]) {
        let mut reports: Vec<(Author, Vec<Identity>)> = Vec::new();
        for entry in entries {
            let author = (moment.context.clone(), entry.by.clone());
            let identity = Identity::new(&entry.injection);
            let now = |other: &LedgerEntry| {
                (other.status.is_in_context() || other.status == InjectionStatus::Line)
                    && (other.by == entry.by || entry.injection.key.is_none())
                    && Identity::new(&other.injection) == identity
            };
            let reported = match entry.status {
                InjectionStatus::Line => true,
                InjectionStatus::LeftOut => entries.iter().any(now) || self.is_latest(&author, &identity),
                status => status.is_in_context(),
            };
            match reports.iter_mut().find(|(by, _)| *by == author).filter(|_| reported) {
                Some((_, report)) => report.push(identity),
                None if reported => reports.push((author, vec![identity])),
                None => {}
            }
        }
        for entry in entries {
            self.session += entry.tokens;
            *self.turns.entry((moment.turn.clone(), entry.category)).or_default() += entry.tokens;
            if entry.status.is_in_context() {
                let author = (moment.context.clone(), entry.by.clone());
                self.in_context.insert((author, Identity::new(&entry.injection)));
            }
            self.entries.push((moment.clone(), entry.clone()));
        }
        self.latest.extend(reports);
    }

    fn is_latest(&self, author: &Author, identity: &Identity) -> bool {
        match (self.latest.get(author), identity) {
            (Some(latest), _) => latest.contains(identity),
            (None, Identity::Key(_)) => false,
            (None, _) => self.in_context.iter().any(|(other, delivered)| {
                other.0 == author.0
                    && delivered == identity
                    && self.latest.get(other).is_some_and(|latest| latest.contains(identity))
            }),
        }
    }
}

impl MemoryLedgers {
    /// Everything that was entered for a session.
    pub fn entries(&self, session: &SessionId) -> Vec<(Moment, LedgerEntry)> {
        self.kept().ledgers.get(session).map(|ledger| ledger.entries.clone()).unwrap_or_default()
    }

    /// Waits until the page of that session is free, and takes it.
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
    /// Reads from the ledger, if there is one yet.
    fn read<T: Default>(&self, query: impl FnOnce(&Ledger) -> T) -> T {
        self.ledgers.kept().ledgers.get(&self.session).map(query).unwrap_or_default()
    }

    fn author(&self, by: &Source) -> Author {
        (self.moment.context.clone(), by.clone())
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
        self.read(|ledger| {
            let in_turn =
                |category| ledger.turns.get(&(self.moment.turn.clone(), category)).copied().unwrap_or(0);
            Spent {
                turn: in_turn(BudgetCategory::Hooks),
                memory: in_turn(BudgetCategory::Memory),
                session: ledger.session,
            }
        })
    }

    fn is_in_context(&self, by: &Source, injection: &Injection) -> Result<bool, StateError> {
        let text = (self.author(by), Identity::new(injection));
        Ok(self.read(|ledger| ledger.in_context.contains(&text)))
    }

    fn is_latest(&self, by: &Source, injection: &Injection) -> Result<bool, StateError> {
        let (author, identity) = (self.author(by), Identity::new(injection));
        Ok(self.read(|ledger| ledger.is_latest(&author, &identity)))
    }

    fn enter(self: Box<Self>, entries: &[LedgerEntry]) -> Result<(), StateError> {
        let mut kept = self.ledgers.kept();
        let ledger = kept.ledgers.entry(self.session.clone()).or_default();
        ledger.enter(&self.moment, entries);
        drop(kept);
        Ok(())
    }
}
