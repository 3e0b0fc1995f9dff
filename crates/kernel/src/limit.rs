//! How long one injected text may be, and what becomes of a longer one.

use std::hash::{DefaultHasher, Hash, Hasher};

use tenter_contract::{Form, Handler, Injection, Limits, McpWanted, OverLimit, Shortened, WholeText};

/// What stands at the end of a text that was cut.
const CUT_MARK: &str = " ... truncated";

/// A text within its limit.
pub(crate) enum Limited {
    /// It may go on, as it was or shortened.
    Admitted(Injection),
    /// It may not.
    Refused(Injection),
}

/// Exactly the limit passes.
pub(crate) fn limited(injection: Injection, limits: &Limits) -> Limited {
    let limit = limits.injection_bytes;
    if injection.content.len() <= limit {
        return Limited::Admitted(injection);
    }
    match limits.over_limit {
        OverLimit::Reject => Limited::Refused(injection),
        OverLimit::Truncate => Limited::Admitted(cut(injection, limit, |_| WholeText::Lost)),
        OverLimit::Spill => Limited::Admitted(cut(injection, limit, WholeText::Here)),
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

/// As many whole characters as fit before the mark.
fn shortened(text: &str, limit: usize, mark: &str) -> String {
    let kept = text.floor_char_boundary(limit.saturating_sub(mark.len()));
    format!("{}{mark}", &text[..kept])
}

/// A text whose whole is kept in a file: its beginning, and where the rest is. Others stay as they are.
pub fn kept_in(injection: &mut Injection, path: &str, limits: &Limits) {
    let Form::Beginning(it) = &mut injection.form else { return };
    let WholeText::Here(whole) = std::mem::replace(&mut it.all, WholeText::At(path.to_owned())) else {
        return;
    };
    let note = |kept: usize| format!("\n\n… [{kept} of {} bytes; the whole text is in {path}]", whole.len());
    let room = limits.injection_bytes.saturating_sub(note(whole.len()).len());
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
