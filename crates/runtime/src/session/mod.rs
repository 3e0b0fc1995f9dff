//! What a session remembers between its events: turns, contexts, deferred texts, the ledger, notices.

mod contexts;
mod deferred;
mod injections;
mod notices;
mod spill;
mod stop_limit;
mod turns;

use tenter_contract::TokenEstimate;
use tenter_contract::ports::SessionStore;

pub(crate) use injections::{LedgerAccount, LimitedOutcome, injections};
pub(crate) use notices::{problem_notice, repeated_notices};

/// Remembers what happened in a session.
pub struct SessionService {
    /// Where it is kept.
    pub store: Box<dyn SessionStore>,
    /// What a text costs.
    pub tokens: TokenEstimate,
    /// The hook that started this process, if one did.
    pub outer_hook: Option<OuterHook>,
}

/// A hook that started this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OuterHook {
    /// The mark of its run.
    pub run: String,
    /// The session of its event.
    pub session: Option<String>,
}
