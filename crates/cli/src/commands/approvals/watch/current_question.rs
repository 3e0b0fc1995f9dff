//! Decides which question a key answers: the one that was visible when it was pressed. A question may end while the user
//! types, and another one takes its place.

use std::time::{Duration, Instant};

/// How long a question is visible before a key counts: longer than a late key for the question before it, and shorter
/// than the time to read it.
const SETTLES: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(crate) struct CurrentQuestion {
    id: Option<String>,
    keys: Keys,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Keys {
    #[default]
    Nothing,
    CountFrom(Instant),
    Count,
}

impl CurrentQuestion {
    pub(crate) fn is_new(&self, id: Option<&str>) -> bool {
        self.id.as_deref() != id
    }

    pub(crate) fn appeared(&mut self, id: Option<&str>, now: Instant) {
        self.id = id.map(str::to_owned);
        self.keys = if id.is_some() { Keys::CountFrom(now + SETTLES) } else { Keys::Nothing };
    }

    /// Returns true once, when `SETTLES` is over. Keys that were pressed before are dropped.
    pub(crate) fn has_just_settled(&mut self, now: Instant) -> bool {
        let settled = matches!(self.keys, Keys::CountFrom(then) if now >= then);
        if settled {
            self.keys = Keys::Count;
        }
        settled
    }

    pub(crate) fn accepts_keys(&self) -> bool {
        self.keys == Keys::Count
    }

    pub(crate) fn patience(&self, longest: Duration, now: Instant) -> Duration {
        match self.keys {
            Keys::CountFrom(then) => then.saturating_duration_since(now).min(longest),
            Keys::Nothing | Keys::Count => longest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_after_settling() {
        let start = Instant::now();
        let later = |ms| start + Duration::from_millis(ms);
        let mut current = CurrentQuestion::default();
        assert!(!current.accepts_keys());
        assert!(current.is_new(Some("a")));
        current.appeared(Some("a"), start);
        assert!(!current.is_new(Some("a")));
        assert!(!current.has_just_settled(later(499)) && !current.accepts_keys());
        assert_eq!(current.patience(Duration::from_millis(200), later(400)), Duration::from_millis(100));
        assert!(current.has_just_settled(later(500)) && current.accepts_keys());
        assert!(!current.has_just_settled(later(501)), "once");

        assert!(current.is_new(Some("b")) && current.is_new(None));
        current.appeared(Some("b"), later(600));
        assert!(!current.accepts_keys(), "another question begins anew");
        current.appeared(None, later(700));
        assert!(!current.has_just_settled(later(9000)) && !current.accepts_keys());
    }
}
