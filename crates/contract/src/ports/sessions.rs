//! The state of sessions between their events.

use std::fmt;
use std::time::Instant;

use crate::notice::Cause;
use crate::session_claim::{SessionClaim, SessionCounter};
use crate::{
    Decision, HookId, Injection, LedgerEntry, Message, Moment, Rewrite, Session, SessionId, Source, Spent,
    Timestamp,
};

/// Keeps the state of sessions. `None` means events whose agent names no session: they share counters and files, and
/// nothing that would connect them.
///
/// Duties: facts are added, never overwritten as a whole, because tool calls of one session arrive together. Of many
/// concurrent claims exactly one succeeds. Of many concurrent increments each gets its own number. Each deferred text
/// is taken by exactly one caller. Of many concurrent requests about one call exactly one is the first; if it ends
/// without a decision, another one is.
pub trait SessionStore: Send + Sync {
    /// Loads what is known of a session.
    fn recall(&self, session: &SessionId) -> Result<Session, StateError>;

    /// Remembers the project root, unless one is remembered already.
    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), StateError>;

    /// Claims something that may happen once per session, before it happens.
    fn claim(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<ClaimOutcome, StateError>;

    /// Claims that the user is notified. A store that cannot be written may note it elsewhere.
    fn claim_notice(&self, session: &SessionId, cause: &Cause) -> Result<ClaimOutcome, StateError> {
        self.claim(Some(session), &SessionClaim::Notified(cause.clone()))
    }

    /// Whether something was claimed and not released. A store without claims has none.
    fn claimed(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<bool, StateError> {
        Ok(false)
    }

    /// Whether a person has switched this hook off in the session. A file that another program wrote does not count.
    fn is_switched_off(&self, session: Option<&SessionId>, hook: &HookId) -> Result<bool, StateError> {
        self.claimed(session, &SessionClaim::SwitchedOff(hook.clone()))
    }

    /// Releases a claim, because what was claimed failed.
    fn release(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<(), StateError>;

    /// Changes or reads a counter and returns its value.
    fn count(
        &self,
        session: Option<&SessionId>,
        what: &SessionCounter,
        op: CountOp,
    ) -> Result<u64, StateError>;

    /// Writes a text to a file of its own that only its owner can read, and returns its path.
    fn keep_context(&self, session: Option<&SessionId>, text: &str) -> Result<String, StateError>;

    /// Keeps texts for the session's next event that supports them: all of them or, with an error, none. Texts that
    /// are kept together are taken together.
    fn defer(&self, session: &SessionId, texts: &[Deferred]) -> Result<(), StateError>;

    /// Takes the deferred texts, oldest first. None goes to an event that had arrived before the text was kept:
    /// whether a hook ends soon enough must not change the response to the event that started it. A store in memory
    /// need not enforce that.
    fn take_deferred(
        &self,
        session: &SessionId,
        wanted: Wanted,
        arrived: Timestamp,
    ) -> Result<Vec<Deferred>, StateError>;

    /// Keeps texts for the case that this process dies. They are delivered only after its death, and only if they
    /// were not withdrawn. A store that cannot detect the death keeps none.
    fn keep_crash_notice(
        &self,
        _session: &SessionId,
        _texts: &[Deferred],
    ) -> Result<Option<Box<dyn CrashNotice>>, StateError> {
        Ok(None)
    }

    /// Whether the session has a ledger.
    fn has_ledger(&self, _session: &SessionId) -> Result<bool, StateError> {
        Ok(false)
    }

    /// Opens the session's ledger. One process at a time has it, until it has written its entries or dropped the
    /// page; the others wait, so that all agree on the tokens spent. A store without ledgers returns an error.
    fn open_ledger(&self, session: &SessionId, _: &Moment) -> Result<Box<dyn LedgerPage>, StateError> {
        let cause = std::io::Error::from(std::io::ErrorKind::Unsupported);
        Err(StateError { path: format!("the ledger of {session}"), cause })
    }

    /// Checks whether a call was judged before, and with which decision. While another process judges it, this
    /// waits, but not longer than `until`.
    fn check_duplicate(
        &self,
        session: &SessionId,
        call: &CallIdentity,
        until: Instant,
    ) -> Result<DuplicateCheck, StateError>;
}

/// Identifies a call: everything that makes two requests the same call, as a digest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallIdentity(pub String);

/// A session's ledger, open for one event and held by one caller. It must not be held while a hook runs.
pub trait LedgerPage: Send {
    /// The tokens spent before.
    fn spent(&self) -> Spent;

    /// Whether the context has this text of this hook, or another one with the same key.
    fn is_in_context(&self, by: &Source, injection: &Injection) -> Result<bool, StateError>;

    /// Whether it is among the hook's latest texts in this context. For a hook without texts there: whether it is
    /// exactly the latest text of another hook.
    fn is_latest(&self, by: &Source, injection: &Injection) -> Result<bool, StateError>;

    /// Adds these entries in order, and closes the page.
    fn enter(self: Box<Self>, entries: &[LedgerEntry]) -> Result<(), StateError>;
}

/// Whether a request about the same call came before.
pub enum DuplicateCheck {
    /// The first request: the hooks must run.
    First(Box<dyn DedupLock>),
    /// A repeated request, with the decision of the first.
    Again(SharedDecision),
    /// Another process still ran the hooks when the time was up.
    Unsettled,
}

/// The lock of a shared decision that is not made yet. Dropped without a decision, as when the process dies, it is
/// free for the next request.
pub trait DedupLock {
    /// Publishes the decision for other requests about the same call.
    fn publish(self: Box<Self>, shared_decision: &SharedDecision) -> Result<(), StateError>;
}

/// The decision for all requests about one call.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedDecision {
    /// When the first request arrived; its record has this time.
    pub first: Timestamp,
    /// The decision.
    pub decision: Decision,
    /// All rewrites, with their authors.
    pub rewrites: Vec<(Source, Rewrite)>,
}

/// A text that waits for a later event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Deferred {
    /// The author.
    pub by: Source,
    /// The text and its reader.
    pub text: DeferredText,
}

/// A text that waits for a later event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum DeferredText {
    /// For the agent's context.
    Context(Injection),
    /// For the user.
    Message(Message),
}

/// The deferred texts that an event supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    Everything,
    /// Those that were kept without any context.
    Messages,
}

/// A notice for the case that this process dies.
pub trait CrashNotice: Send {
    /// Removes the notice, because the process has ended well.
    fn withdraw(self: Box<Self>);
}

/// What happens to a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountOp {
    /// Adds one.
    Increment,
    /// Starts again at 0.
    Reset,
    /// Changes nothing.
    Read,
}

/// The result of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// This caller has it now.
    Granted,
    /// Another caller had it before.
    Taken,
}

/// Why the state of a session cannot be used. The hooks still run and the user is notified.
#[derive(Debug)]
pub struct StateError {
    /// What cannot be used.
    pub path: String,
    /// What the system says.
    pub cause: std::io::Error,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the session state `{}` cannot be used: {}", self.path, self.cause)
    }
}

impl std::error::Error for StateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
