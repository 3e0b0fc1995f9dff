//! Removes text that must not be stored: secrets, private parts, and text that memory itself injected.

use std::borrow::Cow;
use std::sync::OnceLock;

use tenter_store::audit::redact::{Marked, PRIVATE, Redactor, marked};

/// Tags that are removed with their content. The runtime puts `tenter-data` around foreign text, such as recalled text.
const DROPPED: [&str; 3] = [PRIVATE, "tenter-data", "tenter-memory"];

/// Removes text that must not be stored.
#[derive(Debug, Default)]
pub struct Cleaner {
    secrets: Vec<String>,
    /// Built on first use; most calls store nothing.
    redactor: OnceLock<Redactor>,
}

impl Cleaner {
    /// A cleaner that also removes these values; see `tenter_store::audit::redact::secret_values`.
    pub fn hiding(secrets: Vec<String>) -> Self {
        Self { secrets, redactor: OnceLock::new() }
    }

    /// The text as it may be stored.
    pub fn clean(&self, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        for tag in DROPPED {
            // Removing a part can join two halves of a tag, so repeat until no tag is left.
            while let Some(rest) = without(&text, tag) {
                text = Cow::Owned(rest);
            }
        }
        let redactor = self.redactor.get_or_init(|| Redactor::hiding(self.secrets.iter().cloned()));
        let clean = redactor.text(&text).unwrap_or_else(|| text.into_owned());
        clean.trim().to_owned()
    }
}

/// The text without the parts in this tag; none if the tag does not occur.
fn without(text: &str, tag: &str) -> Option<String> {
    let mut places = marked(text, tag).into_iter().peekable();
    places.peek()?;
    let (mut kept, mut done) = (String::new(), 0);
    for Marked { range, .. } in places {
        kept.push_str(&text[done..range.start]);
        done = range.end;
    }
    Some(kept + &text[done..])
}
