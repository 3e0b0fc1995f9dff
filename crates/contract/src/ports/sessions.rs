//! What is remembered of a session between its events.

use std::fmt;
use std::time::Instant;

use super::UNUSABLE;
use crate::{
    Decision, Injection, LedgerEntry, Message, Moment, Rewrite, Session, SessionId, Source, Spent, Timestamp,
};

/// The tally of how often a session's context was begun anew, by a compaction or a clear.
pub const CONTEXTS: &str = "contexts";

/// Remembers things of sessions.
///
/// Duties: facts are added, never written over as a whole, because tool calls of one session arrive
/// together; of many claims at once exactly one succeeds; of many who count at once each gets its own number; of many who take what is carried exactly one gets
/// each text; of many deliveries of one call at once exactly one is the first, and if it ends without a ruling,
/// another one is.
pub trait SessionShelf: Send + Sync {
    /// What is known of a session.
    fn recall(&self, session: &SessionId) -> Result<Session, ShelfError>;

    /// Remembers the project root, unless one is remembered already.
    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), ShelfError>;

    /// Claims something that may happen once per session, before it happens.
    fn claim(&self, session: &SessionId, what: &str) -> Result<ClaimOutcome, ShelfError>;

    /// Claims that the user is told something about the shelf itself or what lies beside it. A shelf that has another
    /// place to note it does so there if it cannot be written.
    fn claim_notice(&self, session: &SessionId, text: &str) -> Result<ClaimOutcome, ShelfError> {
        self.claim(session, text)
    }

    /// Whether something was claimed and not given back. A shelf that keeps no claims has none.
    fn claimed(&self, _session: &SessionId, _what: &str) -> Result<bool, ShelfError> {
        Ok(false)
    }

    /// Whether a person has switched something off in this session. A file that another program wrote is no switch.
    fn is_switched_off(&self, session: &SessionId, what: &str) -> Result<bool, ShelfError> {
        self.claimed(session, what)
    }

    /// Gives a claim back, because what was claimed failed.
    fn release(&self, session: &SessionId, what: &str) -> Result<(), ShelfError>;

    /// Adds a mark to a tally of the session and says how many [`Mark::One`] it has since its last
    /// [`Mark::Restart`]. Of many who count at once each gets a number of its own.
    fn tally(&self, session: &SessionId, what: &str, mark: Mark) -> Result<u64, ShelfError>;

    /// Keeps a text in a file of its own that only its owner can read, and says where.
    fn keep_context(&self, session: &SessionId, text: &str) -> Result<String, ShelfError>;

    /// Keeps texts for the session's next event that can carry them: all of them or, with an error, none. Texts
    /// that are kept together are taken together.
    fn carry(&self, session: &SessionId, texts: &[Carried]) -> Result<(), ShelfError>;

    /// Takes the texts that are kept, oldest first. Each is given once, and none to an event that had arrived
    /// before it was kept: whether a hook ends soon enough must not decide what is answered to the event that
    /// started it. A shelf in memory may take that lightly.
    fn take_carried(
        &self,
        session: &SessionId,
        wanted: Wanted,
        arrived: Timestamp,
    ) -> Result<Vec<Carried>, ShelfError>;

    /// Keeps texts for the case that this process dies: nobody is given them as long as it lives, or if they are
    /// withdrawn. A shelf that cannot tell whether it does keeps none.
    fn keep_last_words(
        &self,
        _session: &SessionId,
        _texts: &[Carried],
    ) -> Result<Option<Box<dyn LastWords>>, ShelfError> {
        Ok(None)
    }

    /// Whether something was ever entered into the session's ledger. A shelf that keeps none has nothing.
    fn has_ledger(&self, _session: &SessionId) -> Result<bool, ShelfError> {
        Ok(false)
    }

    /// Opens the session's ledger at a moment. Of many who do so at once one has it, until it has made its entries or
    /// gives the page away; the others wait, so that all of them agree on what was spent and said. A shelf that
    /// keeps none says so.
    fn open_ledger(&self, session: &SessionId, _: &Moment) -> Result<Box<dyn LedgerPage>, ShelfError> {
        let cause = std::io::Error::from(std::io::ErrorKind::Unsupported);
        Err(ShelfError { path: format!("the ledger of {session}"), cause })
    }

    /// Says whether a call was delivered before, and with which ruling. `call` is everything that makes two
    /// deliveries one call. While another process rules on it, this waits, but not longer than `until`.
    fn deliver(&self, session: &SessionId, call: &str, until: Instant) -> Result<Delivery, ShelfError>;
}

/// A session's ledger, open at one moment and in one pair of hands. It must not be held while a hook runs.
pub trait LedgerPage: Send {
    /// What was spent before.
    fn spent(&self) -> Spent;

    /// Whether the context has this text of this hook, or another one with the same key.
    fn is_in_context(&self, by: &Source, injection: &Injection) -> Result<bool, ShelfError>;

    /// Whether it is among what this hook said last in this context. Of a hook that has said nothing there yet: whether
    /// another hook said it last, word for word.
    fn was_said_last(&self, by: &Source, injection: &Injection) -> Result<bool, ShelfError>;

    /// Adds what became of these texts, in order, and gives the page away.
    fn enter(self: Box<Self>, entries: &[LedgerEntry]) -> Result<(), ShelfError>;
}

/// A call that may have reached us by another route.
pub enum Delivery {
    /// Nobody has ruled on it: the hooks are to be asked.
    First(Box<dyn Docket>),
    /// Its hooks were asked at its first delivery.
    Again(Ruling),
    /// Somebody was still at it when the time was up.
    Unsettled,
}

/// The place of a ruling that is still to come. Dropped without one, as when the process dies, it is free for
/// the next delivery.
pub trait Docket {
    /// Leaves the ruling for other deliveries of the same call.
    fn publish(self: Box<Self>, ruling: &Ruling) -> Result<(), ShelfError>;
}

/// What all deliveries of one call are answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// When the first delivery arrived; its record has this time.
    pub first: Timestamp,
    /// What all verdicts came to.
    pub decision: Decision,
    /// What was rewritten, whole, and by whom.
    pub rewrites: Vec<(Source, Rewrite)>,
}

/// A text that could not be told at the event at which it was said, or that was said after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Whose.
    pub by: Source,
    /// The text, and whom it is for.
    pub text: CarriedText,
}

/// A text that waits for a later event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CarriedText {
    /// For the agent's context.
    Context(Injection),
    /// For the user.
    Message(Message),
}

/// What an event can carry of the texts that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    Everything,
    /// Those that were kept without any context beside them.
    Messages,
}

/// Texts for the case that this process dies.
pub trait LastWords: Send {
    /// Nobody needs them.
    fn withdraw(self: Box<Self>);
}

/// What is added to a tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// One more.
    One,
    /// From here on it is counted anew.
    Restart,
    /// Nothing: it is only looked at.
    Look,
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// It is ours.
    Granted,
    /// It was taken before.
    Taken,
}

/// Why the state of a session cannot be used. The hooks still run and the user is told.
#[derive(Debug)]
pub struct ShelfError {
    /// What cannot be used.
    pub path: String,
    /// What the system says.
    pub cause: std::io::Error,
}

impl fmt::Display for ShelfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the session state `{}`{UNUSABLE}{}", self.path, self.cause)
    }
}

impl std::error::Error for ShelfError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
