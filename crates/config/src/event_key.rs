//! Which event a key of `hooks` means.

use tenter_contract::{EventKind, event_names};

use crate::problem::ProblemKind;
use crate::suggest;

/// The event, or why there is none.
///
/// `namespace:name` of a foreign namespace is an event of another program and accepted as it is. In one of
/// our namespaces, or in one that looks like ours, it is a misspelling, and a hook that waits for an event
/// that never comes is a guard that sleeps.
pub(crate) fn event(spelling: &str, hooks: usize) -> Result<EventKind, ProblemKind> {
    match EventKind::parse(spelling) {
        Some(EventKind::Other(_)) if is_ours_misspelled(spelling) => Err(unknown(spelling, hooks)),
        Some(kind) => Ok(kind),
        None => Err(unknown(spelling, hooks)),
    }
}

fn is_ours_misspelled(spelling: &str) -> bool {
    let Some((namespace, _)) = spelling.split_once(':') else { return true };
    let ours = || event_names::EVENTS.iter().filter_map(|row| row.canonical.split_once(':'));
    ours().any(|(own, _)| own.eq_ignore_ascii_case(namespace))
        || (suggest::nearest(namespace, ours().map(|(own, _)| own)).is_some() && nearest(spelling).is_some())
}

fn unknown(spelling: &str, hooks: usize) -> ProblemKind {
    ProblemKind::UnknownEvent { spelling: spelling.to_owned(), suggestion: nearest(spelling), hooks }
}

fn nearest(spelling: &str) -> Option<&'static str> {
    let spellings = event_names::EVENTS.iter().flat_map(event_names::EventName::spellings);
    suggest::nearest(spelling, spellings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_is_accepted_and_so_are_events_of_others() {
        for (spelling, canonical) in [
            ("tool:pre", "tool:pre"),
            ("PreToolUse", "tool:pre"),
            ("TOOL_POST", "tool:post"),
            ("beforeSubmitPrompt", "prompt:submit"),
            ("claude:FileChanged", "claude:FileChanged"),
            ("deploy:started", "deploy:started"),
            ("team:post", "team:post"),
            ("users:created", "users:created"),
        ] {
            assert_eq!(event(spelling, 0).map(|kind| kind.as_str().to_owned()), Ok(canonical.to_owned()));
        }
    }

    #[test]
    fn a_misspelled_event_is_refused_with_the_nearest_one() {
        for (spelling, suggestion) in [
            ("tool:prre", Some("tool:pre")),
            ("tol:pre", Some("tool:pre")),
            ("PreTolUse", Some("PreToolUse")),
            ("Tool:before", None),
            ("tool:", None),
            ("banana", None),
            ("", None),
        ] {
            let problem = ProblemKind::UnknownEvent { spelling: spelling.to_owned(), suggestion, hooks: 2 };
            assert_eq!(event(spelling, 2), Err(problem), "{spelling}");
        }
    }
}
