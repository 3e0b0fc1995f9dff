//! What must not be kept is taken out before anything is written: secrets, what a user marked as private, and
//! what memory itself has injected, because a memory of memories only grows.

use std::borrow::Cow;
use std::sync::OnceLock;

use tenter_store::audit::redact::{Marked, PRIVATE, Redactor, marked};

/// What separates these is dropped with them. `tenter-data` is what the runtime puts around injected text that
/// no one here has written; recalled text gets so.
const DROPPED: [&str; 3] = [PRIVATE, "tenter-data", "tenter-memory"];

/// Takes out what must not be kept.
#[derive(Debug, Default)]
pub struct Cleaner {
    secrets: Vec<String>,
    /// Made when something is to be kept, which at most calls nothing is.
    redactor: OnceLock<Redactor>,
}

impl Cleaner {
    /// Hides these values too, wherever they are; see `tenter_store::audit::redact::secret_values`.
    pub fn hiding(secrets: Vec<String>) -> Self {
        Self { secrets, redactor: OnceLock::new() }
    }

    /// The text as it may be kept.
    pub fn clean(&self, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        for tag in DROPPED {
            // What was between two halves of a tag may have made one of them; each round takes at least one out.
            while let Some(rest) = without(&text, tag) {
                text = Cow::Owned(rest);
            }
        }
        let redactor = self.redactor.get_or_init(|| Redactor::hiding(self.secrets.iter().cloned()));
        let clean = redactor.text(&text).unwrap_or_else(|| text.into_owned());
        clean.trim().to_owned()
    }
}

/// The text without what a tag marks; none if there is no such tag.
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
