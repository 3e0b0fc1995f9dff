//! Limits the length of one injected text. The whole text is kept with it, because `batch` may cut the message of
//! all texts again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tenter_contract::injection::CUT_MARK;
use tenter_contract::{Form, Handler, Injection, Limits, McpWanted, Origin, OverLimit, Shortened, WholeText};

/// A text within its limit.
pub(crate) enum Limited {
    /// It may be injected, whole or shortened.
    Admitted(Injection),
    /// It may not be injected.
    Refused(Injection),
}

/// Exactly the limit passes. Printed output is cut where a reply is rejected: the program does not know the limits,
/// and the beginning is better than nothing.
pub(crate) fn limited(injection: Injection, limits: &Limits) -> Limited {
    let limit = limits.injection_bytes;
    match (limits.over_limit, injection.origin) {
        (_, _) if injection.content.len() <= limit && injection.missing() == 0 => {
            Limited::Admitted(injection)
        }
        (OverLimit::Reject, Origin::Reply) => Limited::Refused(injection),
        (OverLimit::Reject | OverLimit::Truncate | OverLimit::Spill, _) => {
            Limited::Admitted(cut(injection, limit))
        }
    }
}

/// As many whole characters as fit before the mark. If the mark does not fit, the text gets the whole limit.
fn cut(injection: Injection, limit: usize) -> Injection {
    let mut hasher = DefaultHasher::new();
    injection.content.hash(&mut hasher);
    let (bytes, digest) = (injection.content.len(), hasher.finish());
    let room = limit.checked_sub(CUT_MARK.len()).filter(|room| *room > 0).unwrap_or(limit);
    let content = beginning(&injection.content, room).to_owned();
    let form = Form::Beginning(Shortened { bytes, digest, all: WholeText::Here(injection.content.into()) });
    Injection { content, form, ..injection }
}

fn beginning(text: &str, room: usize) -> &str {
    &text[..text.floor_char_boundary(room)]
}

/// Adds the path of the file with the whole text, and cuts the beginning so that both are within the limit. If the
/// limit has no room for the path, it is added anyway.
pub fn point_to_file(injection: &mut Injection, path: &str, limits: &Limits) {
    let Form::Beginning(it) = &mut injection.form else { return };
    let WholeText::Here(whole) = &it.all else { return };
    let whole = Arc::clone(whole);
    it.all = WholeText::At(path.to_owned());
    // The note is longest for the whole text.
    injection.content = whole.to_string();
    let limit = limits.injection_bytes;
    let room = limit.checked_sub(injection.tail().len()).unwrap_or(limit);
    injection.content.truncate(injection.content.floor_char_boundary(room));
}

/// The source of a hook's text, if it is fetched.
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

/// An address without user name, password and query, which may be secret.
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
    use tenter_contract::Source;

    use super::*;

    fn given(injection: &Injection) -> String {
        injection.given(&Source::Tenter).into_owned()
    }

    fn limits(over_limit: OverLimit) -> Limits {
        Limits { injection_bytes: 20, over_limit, ..Limits::default() }
    }

    #[test]
    fn only_texts_within_the_limit_pass() {
        let text = |bytes| Injection::text("x".repeat(bytes));
        assert!(
            matches!(limited(text(20), &limits(OverLimit::Reject)), Limited::Admitted(it) if it == text(20))
        );
        assert!(
            matches!(limited(text(21), &limits(OverLimit::Reject)), Limited::Refused(it) if it == text(21))
        );
    }

    #[test]
    fn beginning_ends_between_characters() {
        let Limited::Admitted(it) = limited(Injection::text("ä".repeat(11)), &limits(OverLimit::Truncate))
        else {
            panic!("refused");
        };
        assert_eq!((given(&it).as_str(), given(&it).len()), ("äää ... truncated", 20));
        assert_eq!((it.content.as_str(), it.whole_bytes()), ("äää", 22));
    }

    #[test]
    fn spilled_text_has_beginning_and_path() {
        let limits = Limits { injection_bytes: 60, over_limit: OverLimit::Spill, ..Limits::default() };
        let text = "x".repeat(100);
        let Limited::Admitted(mut it) = limited(Injection::text(text), &limits) else { panic!("refused") };
        point_to_file(&mut it, "/c", &limits);
        assert_eq!(given(&it), "xxxxxxxxxxx\n\n… [11 of 100 bytes; the whole text is in /c]");
        assert!(
            matches!(&it.form, Form::Beginning(Shortened { bytes: 100, all: WholeText::At(path), .. }) if path == "/c")
        );
    }

    fn printed(text: String, missing: usize) -> Injection {
        Injection { origin: Origin::Printed { missing }, ..Injection::text(text) }
    }

    #[test]
    fn printed_output_is_cut_not_rejected() {
        let Limited::Admitted(it) = limited(printed("x".repeat(21), 0), &limits(OverLimit::Reject)) else {
            panic!("refused");
        };
        assert_eq!((given(&it).as_str(), it.whole_bytes()), ("xxxxxx ... truncated", 21));
    }

    #[test]
    fn note_counts_only_kept_bytes() {
        let limits = Limits { injection_bytes: 60, over_limit: OverLimit::Spill, ..Limits::default() };
        let Limited::Admitted(mut it) = limited(printed("x".repeat(100), 7), &limits) else {
            panic!("refused")
        };
        point_to_file(&mut it, "/c", &limits);
        assert_eq!(given(&it), "x\n\n… [1 of more than 100 bytes; the first 100 are in /c]");
        assert_eq!(it.whole_bytes(), 107);
        let Limited::Admitted(short) = limited(printed("short".to_owned(), 7), &limits) else {
            panic!("refused")
        };
        assert_eq!((given(&short).as_str(), short.whole_bytes()), ("short ... truncated", 12));
    }

    #[test]
    fn path_is_named_at_any_limit() {
        for bytes in [1, 13, 14, 15, 40] {
            let limits = Limits { injection_bytes: bytes, over_limit: OverLimit::Spill, ..Limits::default() };
            let Limited::Admitted(mut it) = limited(Injection::text("y".repeat(90)), &limits) else {
                panic!("refused")
            };
            assert!(it.content.len() <= bytes && given(&it).ends_with("y ... truncated"), "{it:?}");
            point_to_file(&mut it, "/somewhere", &limits);
            assert_eq!(it.content, "y".repeat(bytes));
            assert_eq!(it.tail(), format!("\n\n… [{bytes} of 90 bytes; the whole text is in /somewhere]"));
        }
    }

    #[test]
    fn fetched_text_counts_its_frame() {
        let limits = Limits { injection_bytes: 60, over_limit: OverLimit::Spill, ..Limits::default() };
        let page = Injection { foreign: Some("mcp a/b".to_owned()), ..Injection::text("z".repeat(100)) };
        let all = page.given(&Source::Tenter).into_owned();
        let Limited::Admitted(mut it) = limited(page, &limits) else { panic!("refused") };
        assert_eq!((it.whole(), it.whole_bytes()), (all.clone(), all.len()));
        point_to_file(&mut it, "/c", &limits);
        let kept = it.received(&Source::Tenter, usize::MAX).len();
        assert!(it.tail().starts_with(&format!("\n\n… [{kept} of {} bytes; ", all.len())), "{}", it.tail());
    }

    #[test]
    fn source_names_no_secret() {
        for (url, expected) in [
            ("https://context.example.com/api", "https://context.example.com/api"),
            ("https://me:secret@example.com/a?key=secret#x", "https://example.com/a"),
            ("file:notes", "file:notes"),
        ] {
            assert_eq!(address(url), expected);
        }
    }
}
