//! What must not be kept is taken out before anything is written: secrets, what somebody marked as private, and
//! what memory itself has injected, because a memory of memories only grows.

use std::borrow::Cow;
use std::sync::OnceLock;

use tenter_store::audit::redact::Redactor;

/// What stands between these is dropped with them. `tenter-data` is what the runtime puts around injected text that
/// nobody here has written; recalled text is given so.
const DROPPED: [&str; 3] = ["private", "tenter-data", "tenter-memory"];

/// Takes out what must not be kept.
#[derive(Debug, Default)]
pub struct Cleaner {
    secrets: Vec<String>,
    /// Made when something is to be kept, which at most calls nothing is.
    redactor: OnceLock<Redactor>,
}

impl Cleaner {
    /// Hides these values too, wherever they stand; see `tenter_store::audit::redact::secret_values`.
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

/// The text without what stands between `<tag>` and `</tag>`, in any case and with any attributes; none if there is
/// no such tag. What is opened and never closed is dropped to the end: it was meant to be kept out.
fn without(text: &str, tag: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let close = format!("</{tag}");
    let mut kept = String::new();
    let mut at = 0;
    let mut depth = 0_usize;
    let mut found = false;
    let mut from = 0;
    while let Some(next) = lower[from..].find('<').map(|next| from + next) {
        let opens = named(&lower[next + 1..], tag);
        let closes = lower[next..].starts_with(&close) && named(&lower[next + 2..], tag);
        from = next + 1;
        if !opens && !closes {
            continue;
        }
        let end = lower[next..].find('>').map_or(lower.len(), |end| next + end + 1);
        let whole = lower[next..end].ends_with("/>");
        found = true;
        match (opens, depth) {
            (true, _) if whole => {
                if depth == 0 {
                    kept.push_str(&text[at..next]);
                    at = end;
                }
            }
            (true, 0) => {
                kept.push_str(&text[at..next]);
                depth = 1;
            }
            (true, _) => depth += 1,
            (false, 0) => {
                // A closing tag alone says that what stood before it was private and lost its beginning.
                kept.push_str(&text[at..next]);
                at = end;
            }
            (false, 1) => {
                depth = 0;
                at = end;
            }
            (false, _) => depth -= 1,
        }
        from = end;
    }
    if depth == 0 {
        kept.push_str(&text[at..]);
    }
    found.then_some(kept)
}

/// Whether a tag of this name begins here.
fn named(rest: &str, tag: &str) -> bool {
    rest.strip_prefix(tag)
        .is_some_and(|behind| behind.is_empty() || behind.starts_with(['>', ' ', '/', '\t', '\n']))
}
