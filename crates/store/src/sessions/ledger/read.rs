//! Reads a ledger for people.

use std::io;

use tenter_contract::{BudgetCategory, InjectionStatus, SessionId};

use super::line::LedgerLine;
use crate::StateFolder;
use crate::sessions::folder::SessionFolder;
use crate::sessions::session_files::read_fact;

/// All texts injected into the contexts of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// One per injected text, in the order in which they were injected.
    pub lines: Vec<LedgerLine>,
    /// The number of unreadable lines: torn by a crash, or written by a later version.
    pub unreadable: usize,
}

/// The total of several texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The number of texts of which the agent received at least a part.
    pub injections: u64,
    /// The bytes that it received.
    pub bytes: u64,
    /// Their tokens, from the budget of hooks.
    pub tokens: u64,
    /// Their tokens, from the budget of memory.
    pub memory_tokens: u64,
}

impl Ledger {
    /// Reads the ledger of a session; an empty one if nothing was ever injected.
    pub fn read(state: &StateFolder, session: &SessionId) -> io::Result<Self> {
        let path = SessionFolder::new(state, session).ledger().join("entries");
        let text = read_fact(&path)?.unwrap_or_default();
        let mut ledger = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            match serde_json::from_str(line) {
                Ok(line) => ledger.lines.push(line),
                Err(_) => ledger.unreadable += 1,
            }
        }
        Ok(ledger)
    }

    /// The total of all texts.
    pub fn whole(&self) -> Total {
        total(self.lines.iter())
    }

    /// The totals of the turns, in order.
    pub fn turns(&self) -> Vec<(&str, Total)> {
        let of = |turn: &str| total(self.lines.iter().filter(move |line| line.turn == turn));
        distinct(self.lines.iter().map(|line| line.turn.as_str()))
            .into_iter()
            .map(|turn| (turn, of(turn)))
            .collect()
    }

    /// The totals of the session's own contexts, without sub-agents. The last one is the present context.
    pub fn contexts(&self) -> Vec<(u64, Total)> {
        let own = || self.lines.iter().filter(|line| line.agent_id.is_none());
        distinct(own().map(|line| line.context))
            .into_iter()
            .map(|context| (context, total(own().filter(move |line| line.context == context))))
            .collect()
    }
}

fn total<'l>(lines: impl Iterator<Item = &'l LedgerLine>) -> Total {
    lines.fold(Total::default(), |mut total, line| {
        let status = InjectionStatus::ALL.into_iter().find(|status| status.as_str() == line.status);
        if status.is_some_and(InjectionStatus::reached_model) {
            total.injections += 1;
            total.bytes += line.bytes;
        }
        if line.category == BudgetCategory::Memory.as_str() {
            total.memory_tokens += line.tokens;
        } else {
            total.tokens += line.tokens;
        }
        total
    })
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}
