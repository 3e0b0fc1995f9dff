//! Signs of a guard in a text that cannot be read as a hook file.

use tenter_contract::EventKind;
use tenter_contract::builtin_names::{BUILTINS, Does};
use tenter_contract::event_names;

use crate::suggest;
use crate::tree::{Key, Node, Value};

/// Words that make a hook a guard, wherever they are in a file.
const WORDS: [&str; 3] = ["deny", "ask", "fail_closed"];

/// Events at which a deny stops something before it happens.
const STOPPABLE: [EventKind; 4] =
    [EventKind::ToolPre, EventKind::PermissionRequest, EventKind::PromptSubmit, EventKind::ProviderRequest];

/// The events that a guard in this text could concern; none if nothing in it looks like a guard. A tool call always
/// counts, the others count if the text names them.
pub fn guarded_events(text: &str) -> Vec<EventKind> {
    // A text in UTF-16 can be read without its zeros.
    let text = text.replace('\0', "");
    let words: Vec<&str> =
        text.split(|c: char| !is_part_of_word(c)).map(|word| word.trim_matches([':', '.', '-'])).collect();
    let guards = |word: &&str| {
        WORDS.contains(word) || BUILTINS.iter().any(|it| it.does == Does::Guard && it.name == *word)
    };
    if !words.iter().any(guards) {
        return Vec::new();
    }
    let named = |kind: &EventKind| {
        let is_it = |word: &&str| event_names::find(word).is_some_and(|row| row.kind == *kind);
        words.iter().any(is_it)
    };
    let always = |kind: &EventKind| matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
    STOPPABLE.into_iter().filter(|kind| always(kind) || named(kind)).collect()
}

/// Whether a text has hooks at an event that they can stop: any of these may be a program that guards.
pub fn names_stoppable_event(text: &str) -> bool {
    let text = text.replace('\0', "");
    let words = text.split(|c: char| !is_part_of_word(c)).map(|word| word.trim_matches([':', '.', '-']));
    let mut events = words.filter_map(event_names::find);
    events.any(|row| STOPPABLE.contains(&row.kind))
}

/// Whether a table of a hook, or what is in it, is written as a guard, with or without a slip.
pub(crate) fn looks_like_guard(node: &Node, event: &EventKind) -> bool {
    let about_tools = matches!(event, EventKind::ToolPre | EventKind::PermissionRequest);
    let names_guard = |text: &str| BUILTINS.iter().any(|it| it.does == Does::Guard && it.name == text);
    let is_guard = |(key, value): &(Key, Node)| {
        let key = key.text.trim().to_ascii_lowercase();
        match key.as_str() {
            "deny" | "ask" | "fail_closed" | "block" | "reject" | "confirm" => true,
            // A hook that names a guard of tenter's own is one, however its key is spelled.
            _ if matches!(&value.value, Value::Text(text) if names_guard(text.trim_start_matches('/'))) => {
                true
            }
            // One that cannot be loaded denies there.
            word if suggest::nearest(word, ["python"]).is_some() => about_tools,
            word if suggest::nearest(word, ["on_failure"]).is_some() => is_policy_of_guard(value),
            other => {
                suggest::nearest(other, ["deny", "fail_closed"]).is_some() || looks_like_guard(value, event)
            }
        }
    };
    match &node.value {
        Value::Table(entries) => entries.iter().any(is_guard),
        Value::List(items) => items.iter().any(|item| looks_like_guard(item, event)),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => false,
    }
}

/// Whether a failure policy is another than the usual one: `dney` was meant to be something else than `allow`.
fn is_policy_of_guard(policy: &Node) -> bool {
    match &policy.value {
        Value::Text(text) => text != "allow",
        Value::Table(classes) => classes.iter().any(|(_, policy)| is_policy_of_guard(policy)),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::List(_) => false,
    }
}

/// The events that a guard could concern in a file of which nothing is known.
pub fn stoppable_events() -> Vec<EventKind> {
    vec![EventKind::ToolPre, EventKind::PermissionRequest]
}

/// Names of events and built-ins are one word.
fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_guard_closes_the_events_it_names() {
        let tools = vec![EventKind::ToolPre, EventKind::PermissionRequest];
        for (text, events) in [
            ("hooks:\n  tool:pre:\n    - { name: a, deny: \"no\n", tools.clone()),
            ("\"deny\": \"no\"", tools.clone()),
            ("on_failure: {timeout: deny", tools.clone()),
            ("builtin: protect.config\n x", tools.clone()),
            ("\"fail_closed\": true", tools.clone()),
            (
                "hooks:\n  prompt:submit:\n   - ask: x",
                [tools.clone(), vec![EventKind::PromptSubmit]].concat(),
            ),
            ("UserPromptSubmit = [ { deny", [tools, vec![EventKind::PromptSubmit]].concat()),
            ("hooks:\n  tool:pre:\n    - { name: task, inject: no }", Vec::new()),
            ("", Vec::new()),
        ] {
            assert_eq!(guarded_events(text), events, "{text}");
        }
    }
}
