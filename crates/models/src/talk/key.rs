//! A key, which nobody but its server gets to see.

use std::fmt;

use ureq::http::HeaderValue;

/// No provider gives out a shorter key.
const SHORTEST: usize = 8;

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// As the value of a header, behind a word if there is one. None if it cannot be sent.
    pub(super) fn header(&self, before: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// A text without it. Servers like to repeat what they do not accept.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        // One that is shorter is a stand-in such as `none`, and would be found in every other word.
        if self.0.len() < SHORTEST { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let key = Key::new("sk-0123456789".to_owned());
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(format!("{:?}", key.header("Bearer ").unwrap()), "Sensitive");
        assert_eq!(key.hidden_in("no such key: sk-0123456789"), "no such key: [key]");
        assert_eq!(Key::new("none".to_owned()).hidden_in("there is none"), "there is none");
        assert!(Key::new("two\nlines".to_owned()).header("").is_none());
    }
}
