//! The state that a session keeps between its events: turns, contexts, deferred texts, the ledger, notices.

mod contexts;
mod deferred;
mod injections;
mod notices;
mod spill;
mod stop_limit;
mod turns;

use tenter_contract::TokenEstimate;
use tenter_contract::ports::SessionStore;

pub(crate) use injections::{LedgerAccount, LimitedOutcome};
pub(crate) use notices::{problem_notice, repeated_notices};

/// Keeps the state of sessions.
pub struct SessionService {
    /// Where the state is kept.
    pub store: Box<dyn SessionStore>,
    /// Estimates the tokens of a text.
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
