//! Codex trusts a hook by its place and the hash of a normal form. Read from 0.166.0, whose listing of hooks shows both.

use serde_json::{Map, Value, json};
use tenter_contract::ports::Agreement;

use super::install::{CONTEXT_EVENTS, CONTEXT_LIMIT};
use crate::installer::PlacedHandler;

/// The place and the form of an entry of ours; none if the user has added a key, because then its form is not known.
///
/// The keys of the form are in alphabetical order.
pub(super) fn agreement(file: &str, placed: &PlacedHandler) -> Option<Agreement> {
    let event = snake_case(&placed.event);
    let (group, handler) = placed.place;
    let (kind, command) = (placed.handler.get("type")?, placed.handler.get("command")?);
    let timeout = placed.handler.get("timeout")?;
    let mut entry = Map::new();
    // At other events the field is ignored, and the form is not known.
    let limit = placed.handler.get(CONTEXT_LIMIT).filter(|_| CONTEXT_EVENTS.contains(&placed.event.as_str()));
    entry.extend(limit.map(|limit| (CONTEXT_LIMIT.to_owned(), limit.clone())));
    entry.insert("async".to_owned(), false.into());
    entry.insert("command".to_owned(), command.clone());
    entry.insert("timeout".to_owned(), timeout.clone());
    entry.insert("type".to_owned(), kind.clone());
    if !placed.handler.as_object()?.keys().all(|key| entry.contains_key(key)) {
        return None;
    }
    let mut form = json!({"event_name": event, "hooks": [entry]});
    if let Some(matcher) = placed.matcher.as_ref().filter(|matcher| !matcher.is_null()) {
        form["matcher"] = Value::clone(matcher);
    }
    Some(Agreement {
        event: placed.event.clone(),
        key: format!("{file}:{event}:{group}:{handler}"),
        content: form.to_string(),
    })
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use tenter_contract::ports::AgentInstaller;

    use crate::codex::CODEX;

    /// The hash of this form is compared with one of Codex itself where it is computed.
    #[test]
    fn entry_is_trusted_by_place_and_form() {
        let settings = r#"{"hooks": {"PreToolUse": [
            {"hooks": [{"type": "command", "command": "mine"}]},
            {"hooks": [{"type": "command", "command": "other"}, {"type": "command", "command": "tenter hook codex", "timeout": 600, "additionalContextLimit": 0}]},
            {"matcher": "Bash", "hooks": [{"timeout": 5, "command": "tenter hook codex", "type": "command"}]},
            {"hooks": [{"type": "command", "command": "tenter hook codex", "timeout": 600, "statusMessage": "x"}]}
        ]}}"#;
        let agreements: Vec<String> = CODEX
            .agreements("/home/u/.codex/hooks.json", settings)
            .unwrap()
            .into_iter()
            .map(|agreement| format!("{} {} {}", agreement.event, agreement.key, agreement.content))
            .collect();
        assert_eq!(
            agreements,
            [
                r#"PreToolUse /home/u/.codex/hooks.json:pre_tool_use:1:1 {"event_name":"pre_tool_use","hooks":[{"additionalContextLimit":0,"async":false,"command":"tenter hook codex","timeout":600,"type":"command"}]}"#,
                r#"PreToolUse /home/u/.codex/hooks.json:pre_tool_use:2:0 {"event_name":"pre_tool_use","hooks":[{"async":false,"command":"tenter hook codex","timeout":5,"type":"command"}],"matcher":"Bash"}"#,
            ]
        );
    }
}
