//! What is remembered of a session between its events.

use std::fmt;

use crate::{Session, SessionId};

/// Remembers things of sessions.
///
/// Duties: facts are added, never written over as a whole, because tool calls of one session arrive
/// together; of many claims at once exactly one succeeds.
pub trait SessionShelf: Send + Sync {
    /// What is known of a session.
    fn recall(&self, session: &SessionId) -> Result<Session, ShelfError>;

    /// Remembers the project root, unless one is remembered already.
    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), ShelfError>;

    /// Claims something that may happen once per session, before it happens.
    fn claim(&self, session: &SessionId, what: &str) -> Result<ClaimOutcome, ShelfError>;

    /// Gives a claim back, because what was claimed failed.
    fn release(&self, session: &SessionId, what: &str) -> Result<(), ShelfError>;
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
        write!(f, "the session state `{}` cannot be used: {}", self.path, self.cause)
    }
}

impl std::error::Error for ShelfError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
