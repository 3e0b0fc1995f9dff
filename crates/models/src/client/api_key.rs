//! The key of a server, which is never shown.

use std::fmt;

use tenter_net::http::HeaderValue;

const SHORTEST: usize = 8;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct ApiKey(String);

impl ApiKey {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// The value of a header with a prefix. `None` if it cannot be sent.
    pub(super) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Hides the key in a text: servers often repeat the key that they refuse.
    pub(super) fn redact(&self, text: &str) -> String {
        // Shorter values are placeholders such as `none` that occur in ordinary text.
        if self.0.len() < SHORTEST { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_never_shown() {
        let key = ApiKey::new("sk-0123456789".to_owned());
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(format!("{:?}", key.header("Bearer ").unwrap()), "Sensitive");
        assert_eq!(key.redact("no such key: sk-0123456789"), "no such key: [key]");
        assert_eq!(ApiKey::new("none".to_owned()).redact("there is none"), "there is none");
        assert!(ApiKey::new("two\nlines".to_owned()).header("").is_none());
    }
}
