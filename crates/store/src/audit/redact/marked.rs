//! Texts marked with a tag, such as `<private>…</private>`.

use std::ops::Range;

/// The tag around a text that only the agent may read.
pub const PRIVATE: &str = "private";

/// A marked part of a text, with its tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Its position.
    pub range: Range<usize>,
    /// Whether it has content; a closing tag alone has none.
    pub holds_something: bool,
}

/// The parts between `<tag>` and `</tag>`, in any case and with any attributes. A part that is never closed extends to the
/// end of the text.
pub fn marked(text: &str, tag: &str) -> Vec<Marked> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut mark = |range: Range<usize>, holds_something| found.push(Marked { range, holds_something });
    let (mut from, mut depth, mut begin) = (0, 0_usize, 0);
    while let Some(next) = lower[from..].find('<').map(|next| from + next) {
        let opens = begins(&lower[next + 1..], tag);
        let closes = lower[next + 1..].strip_prefix('/').is_some_and(|rest| begins(rest, tag));
        from = next + 1;
        if !opens && !closes {
            continue;
        }
        let end = lower[next..].find('>').map_or(lower.len(), |end| next + end + 1);
        let whole = opens && lower[next..end].ends_with("/>");
        match (opens, depth) {
            (true, 0) if whole => mark(next..end, false),
            (true, _) if whole => {}
            (true, 0) => {
                (begin, depth) = (next, 1);
            }
            (true, _) => depth += 1,
            // The opening tag is missing.
            (false, 0) => mark(next..end, false),
            (false, 1) => {
                depth = 0;
                mark(begin..end, true);
            }
            (false, _) => depth -= 1,
        }
        from = end;
    }
    if depth > 0 {
        mark(begin..text.len(), true);
    }
    found
}

/// Whether a tag of this name begins here.
fn begins(rest: &str, tag: &str) -> bool {
    rest.strip_prefix(tag)
        .is_some_and(|behind| behind.is_empty() || behind.starts_with(['>', ' ', '/', '\t', '\n', '\r']))
}

/// Whether a private part may begin here.
pub(super) fn may_begin_at(text: &[u8], at: usize) -> bool {
    let tag = text.get(at + 1..at + 1 + PRIVATE.len());
    tag.is_some_and(|tag| tag.eq_ignore_ascii_case(PRIVATE.as_bytes()))
}
