//! Signs of a guard in a text that cannot be read as a hook file.

use tenter_contract::EventKind;
use tenter_contract::builtin_names::{BUILTINS, Does};
use tenter_contract::event_names;

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
