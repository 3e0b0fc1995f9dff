//! Gemini CLI: its own payload if it sent one, else the fields it would have sent.

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventKind, ToolCall};

use super::output_text;

/// Its names of tools that other agents have too.
const TOOLS: [(&str, &str); 9] = [
    ("Bash", "run_shell_command"),
    ("Write", "write_file"),
    ("Edit", "replace"),
    ("Read", "read_file"),
    ("LS", "list_directory"),
    ("Glob", "glob"),
    ("Grep", "grep_search"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "google_web_search"),
];

pub(super) fn stdin(event: &Event) -> Map<String, Value> {
    let raw = event.raw.as_object().filter(|_| event.agent.as_str() == "gemini");
    let mut object: Map<String, Value> = raw
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let is_own = raw.is_some();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    let text = |text: Option<&str>| text.map(Value::from);
    set("session_id", text(Some(event.session_text())));
    set("cwd", text(event.cwd.as_deref().or(event.project_root.as_deref())));
    set("prompt", text(event.prompt.as_deref()));
    if let Some(tool) = &event.tool {
        set("tool_input", Some(Value::Object(tool_input(tool, raw))));
    }
    if is_own {
        return object;
    }
    set("transcript_path", Some(json!("")));
    set("hook_event_name", Some(name(&event.kind).into()));
    set("timestamp", Some(event.at.to_string().into()));
    set("source", text(event.source.as_deref()));
    set("reason", text(event.reason.as_deref()));
    if let Some(tool) = &event.tool {
        set("tool_name", Some(tool_name(&tool.name).into()));
        set("tool_response", tool_response(event, tool));
    }
    match event.kind {
        EventKind::OrchestratorComplete => {
            set("prompt_response", text(event.message.as_deref()));
            set("stop_hook_active", Some(json!(false)));
        }
        EventKind::UserNotification => set("message", text(event.message.as_deref())),
        _ => {}
    }
    object
}

fn name(kind: &EventKind) -> &str {
    match kind {
        EventKind::PromptSubmit => "BeforeAgent",
        EventKind::ToolPre | EventKind::PermissionRequest => "BeforeTool",
        EventKind::ToolPost | EventKind::ToolError => "AfterTool",
        EventKind::OrchestratorComplete => "AfterAgent",
        EventKind::ContextPreCompact => "PreCompress",
        other => other.claude_name(),
    }
}

fn tool_name(name: &str) -> String {
    if let Some(parts) = name.strip_prefix("mcp__") {
        return format!("mcp_{}", parts.replacen("__", "_", 1));
    }
    let known = TOOLS.iter().find(|(ours, _)| *ours == name);
    known.map_or(name, |(_, theirs)| *theirs).to_owned()
}

/// The input as it came from Gemini CLI, with what hooks have changed since.
fn tool_input(tool: &ToolCall, raw: Option<&Map<String, Value>>) -> Map<String, Value> {
    let own = raw.and_then(|raw| raw.get("tool_input")).and_then(Value::as_object);
    let (Some(own), before) = (own, tool.original_input.as_ref()) else { return tool.input.clone() };
    let Some(before) = before else { return own.clone() };
    let mut input = own.clone();
    input.retain(|key, _| tool.input.contains_key(key) || !before.contains_key(key));
    let changed = tool.input.iter().filter(|(key, value)| before.get(*key) != Some(*value));
    input.extend(changed.map(|(key, value)| (key.clone(), value.clone())));
    input
}

fn tool_response(event: &Event, tool: &ToolCall) -> Option<Value> {
    if let Some(error) = &event.error {
        return Some(json!({"llmContent": error.message, "error": error.message}));
    }
    let output = tool.stdout.clone().or_else(|| tool.output.as_ref().map(output_text))?;
    Some(json!({"llmContent": output, "returnDisplay": output}))
}

pub(super) fn variables(event: &Event) -> Vec<(&'static str, String)> {
    let mut variables = vec![("GEMINI_SESSION_ID", event.session_text().to_owned())];
    variables.extend(event.project_root.clone().map(|root| ("GEMINI_PROJECT_DIR", root)));
    variables.extend(event.cwd.clone().map(|cwd| ("GEMINI_CWD", cwd)));
    variables
}
