//! Amazon Q: few fields, its own names of events and tools, and `USER_PROMPT`.

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventKind, ToolCall, ToolKind};

use super::output_text;

/// This much of a prompt is in the environment.
const PROMPT_BYTES: usize = 4096;

pub(super) fn stdin(event: &Event) -> Map<String, Value> {
    let mut object = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    set("hook_event_name", Some(name(&event.kind).into()));
    set("cwd", event.cwd.as_deref().or(event.project_root.as_deref()).map(Value::from));
    set("session_id", Some(event.session_text().into()));
    set("prompt", event.prompt.as_deref().map(Value::from));
    if event.kind == EventKind::OrchestratorComplete {
        set("assistant_response", event.message.as_deref().map(Value::from));
    }
    if let Some(tool) = &event.tool {
        set("tool_name", Some(tool_name(tool).into()));
        set("tool_input", Some(tool_input(tool)));
        set("tool_response", tool_response(event, tool));
    }
    object
}

fn name(kind: &EventKind) -> &str {
    match kind {
        EventKind::SessionStart => "agentSpawn",
        EventKind::PromptSubmit => "userPromptSubmit",
        EventKind::ToolPre => "preToolUse",
        EventKind::ToolPost | EventKind::ToolError => "postToolUse",
        EventKind::OrchestratorComplete => "stop",
        other => other.claude_name(),
    }
}

/// A tool that Amazon Q has too, by its name there.
fn tool_name(tool: &ToolCall) -> String {
    if let Some((server, name)) = tool.name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return format!("@{server}/{name}");
    }
    match tool.kind {
        ToolKind::Shell => "execute_bash".to_owned(),
        ToolKind::Write | ToolKind::Edit => "fs_write".to_owned(),
        ToolKind::Read => "fs_read".to_owned(),
        ToolKind::Search | ToolKind::Fetch | ToolKind::Mcp | ToolKind::Task | ToolKind::Other => {
            tool.name.clone()
        }
    }
}

fn tool_input(tool: &ToolCall) -> Value {
    let part = |key: &str| tool.input.get(key).cloned().unwrap_or(Value::Null);
    let path = || tool.path().map_or(Value::Null, Value::from);
    match tool.kind {
        ToolKind::Write => json!({"command": "create", "path": path(), "file_text": part("content")}),
        ToolKind::Edit if tool.input.contains_key("old_string") => json!({
            "command": "str_replace", "path": path(), "old_str": part("old_string"), "new_str": part("new_string"),
        }),
        ToolKind::Read => json!({"operations": [{"mode": "Line", "path": path()}]}),
        ToolKind::Shell
        | ToolKind::Edit
        | ToolKind::Search
        | ToolKind::Fetch
        | ToolKind::Mcp
        | ToolKind::Task
        | ToolKind::Other => Value::Object(tool.input.clone()),
    }
}

fn tool_response(event: &Event, tool: &ToolCall) -> Option<Value> {
    if let Some(error) = &event.error {
        return Some(json!({"success": false, "error": [error.message]}));
    }
    let output = tool.stdout.clone().or_else(|| tool.output.as_ref().map(output_text))?;
    Some(json!({"success": true, "result": [output]}))
}

/// The prompt, without control characters, as much of it as fits, never half a character.
pub(super) fn variables(event: &Event) -> Vec<(&'static str, String)> {
    let Some(prompt) = event.prompt.as_deref() else { return Vec::new() };
    let mut prompt: String = prompt.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    prompt.truncate(prompt.floor_char_boundary(PROMPT_BYTES));
    vec![("USER_PROMPT", prompt)]
}
