//! How long one injected text may be, and what becomes of a longer one.

use std::hash::{DefaultHasher, Hash, Hasher};

use tenter_contract::{Form, Handler, Injection, Limits, McpWanted, Origin, OverLimit, Shortened, WholeText};

/// What stands at the end of a text that was cut.
const CUT_MARK: &str = " ... truncated";

/// A text within its limit.
pub(crate) enum Limited {
    /// It may go on, as it was or shortened.
    Admitted(Injection),
    /// It may not.
    Refused(Injection),
}

/// Exactly the limit passes. What a program has printed is cut where a reply is refused: the program knows nothing of
/// limits, and the beginning of what it found is better than nothing.
pub(crate) fn limited(injection: Injection, limits: &Limits) -> Limited {
    let limit = limits.injection_bytes;
    match (limits.over_limit, injection.origin) {
        (_, _) if injection.content.len() <= limit && injection.missing() == 0 => {
            Limited::Admitted(injection)
        }
        (OverLimit::Reject, Origin::Reply) => Limited::Refused(injection),
        (OverLimit::Spill, _) if injection.content.len() > limit => {
            Limited::Admitted(cut(injection, limit, WholeText::Here))
        }
        (OverLimit::Reject | OverLimit::Truncate | OverLimit::Spill, _) => {
            Limited::Admitted(cut(injection, limit, |_| WholeText::Lost))
        }
    }
}

fn cut(injection: Injection, limit: usize, all: impl FnOnce(String) -> WholeText) -> Injection {
    let content = shortened(&injection.content, limit, CUT_MARK);
    let mut hasher = DefaultHasher::new();
    injection.content.hash(&mut hasher);
    let (bytes, digest) = (injection.content.len(), hasher.finish());
    let form = Form::Beginning(Shortened { bytes, digest, all: all(injection.content) });
    Injection { content, form, ..injection }
}

/// As many whole characters as fit before the mark. Where not even that fits, the beginning alone.
fn shortened(text: &str, limit: usize, mark: &str) -> String {
    let mark = if mark.len() < limit { mark } else { "" };
    let kept = text.floor_char_boundary(limit.saturating_sub(mark.len()));
    format!("{}{mark}", &text[..kept])
}

/// A text that is kept in a file: its beginning, and where the rest is, unless the limit has no room for that much.
/// Others stay as they are.
pub fn kept_in(injection: &mut Injection, path: &str, limits: &Limits) {
    let Form::Beginning(it) = &mut injection.form else { return };
    let WholeText::Here(whole) = std::mem::replace(&mut it.all, WholeText::At(path.to_owned())) else {
        return;
    };
    let (bytes, missing) = (whole.len(), injection.missing());
    // Of an answer that was left unread, nobody knows how long it is.
    let (all, held) = match missing {
        0 => (bytes.to_string(), "the whole text is".to_owned()),
        _ => (format!("more than {bytes}"), format!("the first {bytes} are")),
    };
    let note = |kept: usize| format!("\n\n… [{kept} of {all} bytes; {held} in {path}]");
    let Some(room) = limits.injection_bytes.checked_sub(note(bytes).len()) else { return };
    let kept = whole.floor_char_boundary(room);
    injection.content = format!("{}{}", &whole[..kept], note(kept));
}

/// Where the text of a hook comes from, if it is fetched.
pub(crate) fn fetched_from(handler: &Handler) -> Option<String> {
    let source = match handler {
        Handler::Http(http) => address(http.url.as_str()),
        Handler::Mcp(mcp) => match &mcp.wanted {
            McpWanted::Tool { name, .. } | McpWanted::Prompt { name, .. } => {
                format!("mcp {}/{name}", mcp.server.name)
            }
            McpWanted::Resource { uri } => format!("mcp {} {}", mcp.server.name, address(uri.as_str())),
        },
        Handler::Command(_)
        | Handler::Script(_)
        | Handler::Python(_)
        | Handler::Builtin(_)
        | Handler::Inject(_)
        | Handler::Message { .. }
        | Handler::Ask(_)
        | Handler::Deny(_)
        | Handler::InProcess => return None,
    };
    Some(source.chars().filter(|c| !c.is_control() && !"\"<>".contains(*c)).take(200).collect())
}

/// An address without what may be a secret: a user's name and password, a query.
fn address(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(over_limit: OverLimit) -> Limits {
        Limits { injection_bytes: 20, over_limit, ..Limits::default() }
    }

    #[test]
    fn exactly_the_limit_passes_and_one_byte_more_does_not() {
        let text = |bytes| Injection::text("x".repeat(bytes));
        assert!(
            matches!(limited(text(20), &limits(OverLimit::Reject)), Limited::Admitted(it) if it == text(20))
        );
        assert!(
            matches!(limited(text(21), &limits(OverLimit::Reject)), Limited::Refused(it) if it == text(21))
        );
    }

    #[test]
    fn a_beginning_ends_between_characters_and_within_the_limit() {
        let Limited::Admitted(it) = limited(Injection::text("ä".repeat(11)), &limits(OverLimit::Truncate))
        else {
            panic!("refused");
        };
        assert_eq!((it.content.as_str(), it.content.len()), ("äää ... truncated", 20));
        assert_eq!(it.whole_bytes(), 22);
    }

    #[test]
    fn a_whole_text_in_a_file_leaves_its_beginning_and_the_path() {
        let limits = Limits { injection_bytes: 60, over_limit: OverLimit::Spill, ..Limits::default() };
        let text = "x".repeat(100);
        let Limited::Admitted(mut it) = limited(Injection::text(text), &limits) else { panic!("refused") };
        kept_in(&mut it, "/c", &limits);
        assert_eq!(it.content, "xxxxxxxxxxx\n\n… [11 of 100 bytes; the whole text is in /c]");
        assert!(
            matches!(&it.form, Form::Beginning(Shortened { bytes: 100, all: WholeText::At(path), .. }) if path == "/c")
        );
    }

    fn printed(text: String, missing: usize) -> Injection {
        Injection { origin: Origin::Printed { missing }, ..Injection::text(text) }
    }

    #[test]
    fn what_a_program_has_printed_is_cut_where_a_reply_is_refused() {
        let Limited::Admitted(it) = limited(printed("x".repeat(21), 0), &limits(OverLimit::Reject)) else {
            panic!("refused");
        };
        assert_eq!((it.content.as_str(), it.whole_bytes()), ("xxxxxx ... truncated", 21));
    }

    #[test]
    fn of_what_was_not_kept_nobody_says_that_it_was() {
        let limits = Limits { injection_bytes: 60, over_limit: OverLimit::Spill, ..Limits::default() };
        let Limited::Admitted(mut it) = limited(printed("x".repeat(100), 7), &limits) else {
            panic!("refused")
        };
        kept_in(&mut it, "/c", &limits);
        assert_eq!(it.content, "x\n\n… [1 of more than 100 bytes; the first 100 are in /c]");
        assert_eq!(it.whole_bytes(), 107);
        let Limited::Admitted(short) = limited(printed("short".to_owned(), 7), &limits) else {
            panic!("refused")
        };
        assert_eq!((short.content.as_str(), short.whole_bytes()), ("short ... truncated", 12));
    }

    #[test]
    fn a_limit_without_room_for_a_note_is_kept_all_the_same() {
        for bytes in [1, 13, 14, 15, 40] {
            let limits = Limits { injection_bytes: bytes, over_limit: OverLimit::Spill, ..Limits::default() };
            let Limited::Admitted(mut it) = limited(Injection::text("y".repeat(90)), &limits) else {
                panic!("refused")
            };
            kept_in(&mut it, "/somewhere", &limits);
            assert_eq!(it.content.len(), bytes, "{}", it.content);
            assert!(matches!(&it.form, Form::Beginning(it) if it.all.path() == Some("/somewhere")));
        }
    }

    #[test]
    fn a_source_names_no_secret() {
        for (url, expected) in [
            ("https://context.example.com/api", "https://context.example.com/api"),
            ("https://me:secret@example.com/a?key=secret#x", "https://example.com/a"),
            ("file:notes", "file:notes"),
        ] {
            assert_eq!(address(url), expected);
        }
    }
}
