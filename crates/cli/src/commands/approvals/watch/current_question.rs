//! Which question keys are for: the one on show when they were pressed, and never another. A question may end while
//! a user types, and the next one take its place under their fingers.

use std::time::{Duration, Instant};

/// How long a question is there before a key counts: longer than a key that was meant for the one before it can
/// be on its way, and shorter than anybody needs to read what is asked.
pub(crate) const SETTLES: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(crate) struct OnShow {
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

impl OnShow {
    pub(crate) fn is_new(&self, id: Option<&str>) -> bool {
        self.id.as_deref() != id
    }

    pub(crate) fn appeared(&mut self, id: Option<&str>, now: Instant) {
        self.id = id.map(str::to_owned);
        self.keys = if id.is_some() { Keys::CountFrom(now + SETTLES) } else { Keys::Nothing };
    }

    /// Whether its first moment is over, told once: what was typed in it is to be dropped.
    pub(crate) fn has_just_settled(&mut self, now: Instant) -> bool {
        let settled = matches!(self.keys, Keys::CountFrom(then) if now >= then);
        if settled {
            self.keys = Keys::Count;
        }
        settled
    }

    pub(crate) fn heeds_keys(&self) -> bool {
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
    fn keys_count_for_a_question_that_has_stood_there_for_a_moment() {
        let start = Instant::now();
        let later = |ms| start + Duration::from_millis(ms);
        let mut on_show = OnShow::default();
        assert!(!on_show.heeds_keys());
        assert!(on_show.is_new(Some("a")));
        on_show.appeared(Some("a"), start);
        assert!(!on_show.is_new(Some("a")));
        assert!(!on_show.has_just_settled(later(499)) && !on_show.heeds_keys());
        assert_eq!(on_show.patience(Duration::from_millis(200), later(400)), Duration::from_millis(100));
        assert!(on_show.has_just_settled(later(500)) && on_show.heeds_keys());
        assert!(!on_show.has_just_settled(later(501)), "once");

        assert!(on_show.is_new(Some("b")) && on_show.is_new(None));
        on_show.appeared(Some("b"), later(600));
        assert!(!on_show.heeds_keys(), "another question begins anew");
        on_show.appeared(None, later(700));
        assert!(!on_show.has_just_settled(later(9000)) && !on_show.heeds_keys());
    }
}
