//! Claude Code: its own payload if it sent one, else the fields it would have sent.

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventKind};

use crate::claude_result::tool_response;

/// The tool's input is the current one, whatever the payload had.
pub(super) fn stdin(event: &Event) -> Map<String, Value> {
    let raw = event.raw.as_object();
    let of_raw = |key: &str| raw.and_then(|raw| raw.get(key)).filter(|value| !value.is_null()).cloned();
    let is_null = |key: &str| raw.is_some_and(|raw| raw.get(key).is_some_and(Value::is_null));
    // A field without a value is left out: scripts look whether it is there.
    let mut object: Map<String, Value> = match raw {
        Some(raw) if event.agent.as_str() == "claude" => raw
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        Some(_) | None => Map::new(),
    };
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    let text = |text: Option<&str>| text.map(Value::from);
    set("session_id", text(Some(event.session_text())));
    set("transcript_path", of_raw("transcript_path").or((!is_null("transcript_path")).then(|| json!(""))));
    set("cwd", text(event.cwd.as_deref().or(event.project_root.as_deref())));
    set("permission_mode", of_raw("permission_mode").or(Some(json!("default"))));
    set("hook_event_name", of_raw("hook_event_name").filter(|_| is_others(event)).or_else(|| name(event)));
    set("agent_id", text(event.agent_id.as_deref()));
    set("agent_type", text(event.agent_type.as_deref()));
    set("prompt", text(event.prompt.as_deref()));
    set("source", text(event.source.as_deref()));
    set("reason", text(event.reason.as_deref()));
    set("error", text(event.error.as_ref().map(|error| error.message.as_str())));
    if event.kind == EventKind::UserNotification {
        set("message", text(event.message.as_deref()));
    }
    if matches!(event.kind, EventKind::OrchestratorComplete | EventKind::SubagentComplete) {
        set("stop_hook_active", of_raw("stop_hook_active").or(Some(json!(false))));
        set("last_assistant_message", text(event.message.as_deref()));
    }
    if let Some(tool) = &event.tool {
        set("tool_name", text(Some(&tool.name)));
        set("tool_input", Some(Value::Object(tool.input.clone())));
        set("tool_response", tool_response(tool));
        set("tool_use_id", text(tool.call_id.as_deref()));
    }
    object
}

fn is_others(event: &Event) -> bool {
    matches!(event.kind, EventKind::Other(_))
}

fn name(event: &Event) -> Option<Value> {
    Some(Value::from(event.kind.claude_name()))
}

pub(super) fn variables(event: &Event) -> Vec<(&'static str, String)> {
    vec![("CLAUDE_CODE_SESSION_ID", event.session_text().to_owned())]
}
