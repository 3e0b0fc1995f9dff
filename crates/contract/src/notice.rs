//! Notices for the user, and the sink that collects those of one event.

use crate::ports::{StateError, TrailError};
use crate::{Level, Message};

/// A notice for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its cause. Two notices with the same cause are one.
    pub cause: Cause,
    /// The text for the user.
    pub text: String,
    /// Its level.
    pub level: Level,
    /// How often a session is notified of the same cause.
    pub once: NoticeLimit,
}

/// The cause of a notice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Cause {
    /// tenter's own state cannot be used. Holds the system's error: one full disk is one cause.
    State(String),
    /// A record is missing in the audit trail. Holds the system's error.
    Trail(String),
    /// The audit trail was repaired or quarantined. Holds the text.
    TrailRepaired(String),
    /// Problems in hook files. Holds a fingerprint of all of them, so that a change is news.
    HookFiles(u64),
    /// A hook file whose last good version is active. Holds the text.
    StaleHookFile(String),
    /// A guard that a valid change of a file has removed. Holds the text.
    LostGuard(String),
    /// A token budget that was passed. Holds its key.
    Budget(String),
    /// A problem with an approval. Holds the text.
    Approval(String),
    /// A hook with `once` at events without a session. Holds the hook's address.
    NoSession(String),
    /// A message that a built-in hook shows once. Holds the hook's address and the text.
    Builtin(String),
}

/// How often a session is notified of the same cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeLimit {
    /// At every event.
    EveryEvent,
    /// Once per session.
    OncePerSession,
    /// Once per session, and again when the session starts or ends and when a call is stopped.
    OncePerSessionAndStops,
}

impl Notice {
    /// An error that is reported at every event at which it occurs.
    pub fn error(cause: Cause, text: impl Into<String>) -> Self {
        Self { cause, text: text.into(), level: Level::Error, once: NoticeLimit::EveryEvent }
    }

    /// State that cannot be used. It affects every event alike, so a session is notified once.
    pub fn state(error: &StateError) -> Self {
        Self::unusable(Cause::State(error.cause.to_string()), error.to_string())
    }

    /// The same with another text.
    pub fn unusable(cause: Cause, text: String) -> Self {
        Self { cause, text, level: Level::Error, once: NoticeLimit::OncePerSessionAndStops }
    }

    /// The message that a person reads.
    pub fn message(&self) -> Message {
        Message { text: self.text.clone(), level: self.level }
    }
}

/// Collects the notices of one event.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    open: Vec<Notice>,
    /// The notices that the user got at this event.
    published: Vec<Notice>,
}

impl Diagnostics {
    /// Adds a notice, unless one with the same cause is there or was published.
    pub fn add(&mut self, notice: Notice) {
        if self.is_published(&notice.cause) {
            return;
        }
        match self.open.iter_mut().find(|known| known.cause == notice.cause) {
            Some(known) if notice.once == NoticeLimit::EveryEvent => known.once = NoticeLimit::EveryEvent,
            Some(_) => {}
            None => self.open.push(notice),
        }
    }

    /// The value of a result; an error becomes a notice.
    pub fn check<T>(&mut self, result: Result<T, StateError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.add_state_error(&error);
                None
            }
        }
    }

    #[cold]
    fn add_state_error(&mut self, error: &StateError) {
        self.add(Notice::state(error));
    }

    /// Whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the user was notified of a cause at this event.
    pub fn is_published(&self, cause: &Cause) -> bool {
        self.published.iter().any(|notice| notice.cause == *cause)
    }

    /// Takes all notices out and publishes those that are due.
    pub fn take_due(&mut self, is_due: impl Fn(&Notice) -> bool) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut self.open);
        notices.retain(is_due);
        self.published.extend_from_slice(&notices);
        notices
    }

    /// Takes all notices out.
    pub fn take(&mut self) -> Vec<Notice> {
        self.take_due(|_| true)
    }
}

impl TrailError {
    /// The cause of notices about records that this error lost.
    pub fn cause(&self) -> Cause {
        Cause::Trail(match self {
            Self::Unusable { cause, .. } => cause.to_string(),
            Self::Busy { .. } | Self::Damaged { .. } => self.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_error(path: &str, cause: &str) -> StateError {
        StateError { path: path.to_owned(), cause: std::io::Error::other(cause.to_owned()) }
    }

    #[test]
    fn same_cause_is_reported_once() {
        let mut diagnostics = Diagnostics::default();
        for (path, cause) in [("a", "disk full"), ("b", "disk full"), ("c", "read-only")] {
            assert_eq!(diagnostics.check::<()>(Err(state_error(path, cause))), None);
        }
        let causes: Vec<Cause> = diagnostics.take().into_iter().map(|notice| notice.cause).collect();
        assert_eq!(causes, [Cause::State("disk full".to_owned()), Cause::State("read-only".to_owned())]);
        assert!(diagnostics.is_empty());
    }
}
