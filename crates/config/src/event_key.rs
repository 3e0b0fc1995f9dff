//! Which event a key of `hooks` means.

use tenter_contract::{EventKind, event_names};

use crate::problem::ProblemKind;
use crate::suggest;

/// The event, or why there is none.
///
/// `namespace:name` of a foreign namespace is an event of another program and accepted as it is. In one of
/// our namespaces, in an agent's, or in one that looks like these, it is a misspelling unless we know it: a
/// hook that waits for an event that never comes is a guard that sleeps.
pub(crate) fn event(spelling: &str, hooks: usize) -> Result<EventKind, ProblemKind> {
    let unknown = || ProblemKind::UnknownEvent {
        spelling: spelling.to_owned(),
        suggestion: suggestion(spelling),
        hooks,
    };
    match EventKind::parse(spelling) {
        Some(EventKind::Other(name)) => match event_names::observed(&name) {
            Some(kind) => Ok(kind),
            None if is_ours_misspelled(spelling) => Err(unknown()),
            None => Ok(EventKind::Other(name)),
        },
        Some(kind) => Ok(kind),
        None => Err(unknown()),
    }
}

fn is_ours_misspelled(spelling: &str) -> bool {
    let Some((namespace, _)) = spelling.split_once(':') else { return true };
    let ours = || {
        let canonical = event_names::EVENTS.iter().filter_map(|row| row.canonical.split_once(':'));
        canonical.map(|(own, _)| own).chain(event_names::OBSERVED.iter().map(|(agent, _)| *agent))
    };
    ours().any(|own| own.eq_ignore_ascii_case(namespace))
        || (suggest::nearest(namespace, ours()).is_some() && suggestion(spelling).is_some())
}

/// Names of model calls elsewhere, whose nearest spelling here is that of another event.
const MODEL_CALLS: [(&str, &str); 2] =
    [("PreLLMCall", "provider:request"), ("PostLLMCall", "provider:response")];

/// What was meant: an agent's own event without its agent, an event we know under an agent's name, or the
/// nearest spelling of all.
fn suggestion(spelling: &str) -> Option<String> {
    let (agent, name) = spelling.split_once(':').unwrap_or(("", spelling));
    let observed = || {
        let all = event_names::OBSERVED.iter();
        all.flat_map(|(agent, names)| names.iter().map(move |name| format!("{agent}:{name}")))
    };
    let bare = |full: &String| full.split_once(':').is_some_and(|(_, own)| own.eq_ignore_ascii_case(name));
    if let Some(full) = observed().find(bare) {
        return Some(full);
    }
    if let Some((_, meant)) = MODEL_CALLS.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(name)) {
        return Some((*meant).to_owned());
    }
    let agents = event_names::OBSERVED.iter().map(|(agent, _)| *agent);
    if !agent.is_empty()
        && suggest::nearest(agent, agents).is_some()
        && let Some(row) = event_names::find(name)
    {
        return Some(row.canonical.to_owned());
    }
    let known = event_names::EVENTS.iter().flat_map(event_names::EventName::spellings).map(str::to_owned);
    let all: Vec<String> = known.chain(observed()).collect();
    suggest::nearest(spelling, all.iter().map(String::as_str)).map(str::to_owned)
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
            ("Claude:filechanged", "claude:FileChanged"),
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
            ("claude:PreToolUse", Some("tool:pre")),
            ("claud:PreToolUse", Some("tool:pre")),
            ("claude:TaskCompletd", Some("claude:TaskCompleted")),
            ("claud:FileChanged", Some("claude:FileChanged")),
            ("TaskCompleted", Some("claude:TaskCompleted")),
            ("PreLLMCall", Some("provider:request")),
            ("PostLLMCall", Some("provider:response")),
            ("claude:banana", None),
            ("Tool:before", None),
            ("tool:", None),
            ("banana", None),
            ("", None),
        ] {
            let suggestion = suggestion.map(str::to_owned);
            let problem = ProblemKind::UnknownEvent { spelling: spelling.to_owned(), suggestion, hooks: 2 };
            assert_eq!(event(spelling, 2), Err(problem), "{spelling}");
        }
    }
}
