//! An event, as hooks read it on stdin and as `tenter emit` takes it.
//!
//! It carries our own names and, at the top level, Claude Code's (`hook_event_name`, `tool_name`, …), so
//! that an unchanged Claude Code script works under every agent.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{AgentName, Event, EventError, EventKind, SessionId, Timestamp, ToolCall, ToolKind};

use super::previous::PreviousV1;
use crate::claude_result::tool_response;

/// An event in version 1. On input every field may be missing; unknown ones are kept as `data`.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EventV1 {
    /// Version of this form: 1.
    pub v: u8,
    /// Canonical name, `namespace:name`.
    pub event: String,
    /// The agent's id of the session.
    pub session_id: String,
    /// The session that started this one.
    pub parent_id: Option<String>,
    /// The orchestrator that runs it.
    pub orchestrator_id: Option<String>,
    /// The agent program: `claude`, `codex`, …
    pub agent: String,
    /// The agent inside it, if it is a sub-agent.
    pub agent_id: Option<String>,
    /// The kind of sub-agent.
    pub agent_type: Option<String>,
    /// When it arrived, in RFC 3339.
    pub timestamp: String,
    /// The directory the agent is in; it may follow the model's `cd`.
    pub cwd: Option<String>,
    /// The project.
    pub project_root: Option<String>,
    /// The agent's id of the turn.
    pub turn: Option<String>,
    /// How many turns there have been.
    pub turn_count: Option<u64>,
    /// Why a session starts, who sent a prompt, what triggers a compaction.
    pub source: Option<String>,
    /// How something ended.
    pub status: Option<String>,
    /// Why a session ends.
    pub reason: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The user's prompt.
    pub prompt: Option<String>,
    /// Files attached or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// A notification's text, or the agent's last message.
    pub message: Option<String>,
    /// What failed.
    pub error: Option<ErrorV1>,
    /// The tool call.
    pub tool: Option<ToolV1>,
    /// For a hook with `after`: what came of the hooks it waits for, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub previous: BTreeMap<String, PreviousV1>,
    /// Whatever an embedder adds.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
    /// Claude Code's name of the event.
    pub hook_event_name: Option<String>,
    /// Claude Code's name for `tool.name`.
    pub tool_name: Option<String>,
    /// Claude Code's name for `tool.input`.
    pub tool_input: Option<Value>,
    /// Claude Code's name for `tool.output`; the text of a shell call is an object with `stdout` here, as there.
    pub tool_response: Option<Value>,
    /// Claude Code's name for `tool.call_id`.
    pub tool_use_id: Option<String>,
    /// The agent's own payload.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub raw: Value,
    /// On output: the other top-level fields of the agent's payload (`transcript_path`, …). On input:
    /// whatever has no place above.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ErrorV1 {
    /// A short code.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The message.
    pub message: String,
}

/// A tool call.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolV1 {
    /// Canonical name: `Bash`, `Write`, `Edit`, …
    pub name: String,
    /// The agent's own name.
    pub native_name: Option<String>,
    /// `shell write edit read search fetch mcp task other`.
    pub kind: Option<String>,
    /// The input, with Claude Code's keys under every agent.
    pub input: Map<String, Value>,
    /// What the model asked for, if a hook has rewritten it since.
    pub original_input: Option<Map<String, Value>>,
    /// The result, in the agent's own shape.
    pub output: Option<Value>,
    /// Standard output.
    pub stdout: Option<String>,
    /// Standard error.
    pub stderr: Option<String>,
    /// Exit code.
    pub exit_code: Option<i64>,
    /// The agent's id of the call.
    pub call_id: Option<String>,
    /// The first path it touches.
    pub path: Option<String>,
    /// Every path it touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The command line of a shell call.
    pub command: Option<String>,
}

impl EventV1 {
    /// The event as hooks read it.
    pub fn from_event(event: &Event) -> Self {
        let tool = event.tool.as_ref();
        let mut written = Self {
            v: 1,
            event: event.kind.to_string(),
            session_id: event.session.as_ref().map(ToString::to_string).unwrap_or_default(),
            parent_id: event.parent.as_ref().map(ToString::to_string),
            orchestrator_id: event.orchestrator.clone(),
            agent: event.agent.to_string(),
            agent_id: event.agent_id.clone(),
            agent_type: event.agent_type.clone(),
            timestamp: event.at.to_string(),
            cwd: event.cwd.clone(),
            project_root: event.project_root.clone(),
            turn: event.turn.clone(),
            turn_count: event.turn_count,
            source: event.source.clone(),
            status: event.status.clone(),
            reason: event.reason.clone(),
            duration_ms: event.duration_ms,
            prompt: event.prompt.clone(),
            files: event.files.clone(),
            message: event.message.clone(),
            error: event
                .error
                .as_ref()
                .map(|error| ErrorV1 { kind: error.kind.clone(), message: error.message.clone() }),
            tool: tool.map(to_tool),
            previous: event
                .previous
                .iter()
                .map(|run| (run.hook.name.clone(), PreviousV1::new(run)))
                .collect(),
            data: event.data.clone(),
            hook_event_name: Some(event.kind.claude_name().to_owned()),
            tool_name: tool.map(|tool| tool.name.clone()),
            tool_input: tool.map(|tool| Value::Object(tool.input.clone())),
            tool_response: tool.and_then(tool_response),
            tool_use_id: tool.and_then(|tool| tool.call_id.clone()),
            raw: event.raw.clone(),
            more: Map::new(),
        };
        if let Value::Object(raw) = &event.raw {
            written.more = raw
                .iter()
                .filter(|(key, value)| !is_ours(key) && !value.is_null())
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
        }
        written
    }

    /// The JSON that a hook finds on its stdin.
    pub fn stdin(event: &Event) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&Self::from_event(event)).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The event that a program emits. The caller sets `kind` and `at`; those of the text are ignored.
    pub fn into_event(self, kind: EventKind, at: Timestamp) -> Event {
        let session = SessionId::parse(&self.session_id);
        let agent = if self.agent.is_empty() { "tenter" } else { &self.agent };
        let mut event = Event::new(kind, AgentName::new(agent), session, at);
        let flat = flat_tool(&self);
        event.tool = self.tool.map(into_tool).or(flat);
        event.parent = self.parent_id.as_deref().and_then(SessionId::parse);
        event.orchestrator = self.orchestrator_id;
        event.agent_id = self.agent_id;
        event.agent_type = self.agent_type;
        event.cwd = self.cwd;
        event.project_root = self.project_root;
        event.turn = self.turn;
        event.turn_count = self.turn_count;
        event.source = self.source;
        event.status = self.status;
        event.reason = self.reason;
        event.duration_ms = self.duration_ms;
        event.prompt = self.prompt;
        event.files = self.files;
        event.message = self.message;
        event.error = self.error.map(|error| EventError { kind: error.kind, message: error.message });
        event.data = self.data;
        event.raw = self.raw;
        for (key, value) in self.more {
            event.data.entry(key).or_insert(value);
        }
        event
    }
}

/// The top-level names this form uses itself; an agent's payload does not get to overwrite them.
fn is_ours(key: &str) -> bool {
    const OURS: &[&str] = &[
        "v",
        "event",
        "session_id",
        "parent_id",
        "orchestrator_id",
        "agent",
        "agent_id",
        "agent_type",
        "timestamp",
        "cwd",
        "project_root",
        "turn",
        "turn_count",
        "source",
        "status",
        "reason",
        "duration_ms",
        "prompt",
        "files",
        "message",
        "error",
        "tool",
        "previous",
        "data",
        "hook_event_name",
        "tool_name",
        "tool_input",
        "tool_response",
        "tool_use_id",
        "raw",
    ];
    OURS.contains(&key)
}

fn to_tool(tool: &ToolCall) -> ToolV1 {
    ToolV1 {
        name: tool.name.clone(),
        native_name: Some(tool.native_name.clone()),
        kind: Some(tool.kind.as_str().to_owned()),
        input: tool.input.clone(),
        original_input: tool.original_input.clone(),
        output: tool.output.clone(),
        stdout: tool.stdout.clone(),
        stderr: tool.stderr.clone(),
        exit_code: tool.exit_code,
        call_id: tool.call_id.clone(),
        path: tool.path().map(str::to_owned),
        paths: tool.paths.clone(),
        command: tool.command.clone(),
    }
}

fn into_tool(tool: ToolV1) -> ToolCall {
    let kind = tool.kind.as_deref().and_then(ToolKind::parse).unwrap_or_else(|| guess_kind(&tool.name));
    let mut call = ToolCall::new(&tool.name, kind, tool.input);
    if let Some(native) = tool.native_name {
        call.native_name = native;
    }
    if !tool.paths.is_empty() {
        call.paths = tool.paths;
    } else if call.paths.is_empty() {
        call.paths.extend(tool.path);
    }
    call.command = call.command.or(tool.command);
    call.original_input = tool.original_input;
    call.output = tool.output;
    call.stdout = tool.stdout;
    call.stderr = tool.stderr;
    call.exit_code = tool.exit_code;
    call.call_id = tool.call_id;
    call
}

/// A tool call with Claude Code's top-level names.
fn flat_tool(event: &EventV1) -> Option<ToolCall> {
    let name = event.tool_name.as_deref()?;
    let input = match &event.tool_input {
        Some(Value::Object(map)) => map.clone(),
        Some(_) | None => Map::new(),
    };
    let mut call = ToolCall::new(name, guess_kind(name), input);
    call.output.clone_from(&event.tool_response);
    call.call_id.clone_from(&event.tool_use_id);
    Some(call)
}

/// The kind of a canonical tool name, if the program states none.
pub(crate) fn guess_kind(name: &str) -> ToolKind {
    match name {
        "Bash" => ToolKind::Shell,
        "Write" => ToolKind::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Read" => ToolKind::Read,
        "Glob" | "Grep" | "LS" => ToolKind::Search,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "Task" | "Agent" => ToolKind::Task,
        name if name.starts_with("mcp__") => ToolKind::Mcp,
        _ => ToolKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn write() -> Event {
        let mut event = Event::new(
            EventKind::ToolPost,
            AgentName::from_static("claude"),
            SessionId::parse("s1").unwrap(),
            Timestamp::from_unix_ms(1),
        );
        let input = json!({"file_path": "/p/a.py", "content": "x"});
        let mut tool = ToolCall::new("Write", ToolKind::Write, input.as_object().cloned().unwrap());
        tool.output = Some(json!({"type": "create"}));
        tool.call_id = Some("t1".to_owned());
        event.tool = Some(tool);
        event.prompt = Some("p".to_owned());
        event.raw = json!({"session_id": "s1", "transcript_path": "/t", "permission_mode": "default"});
        event
    }

    #[test]
    fn hook_reads_both_names() {
        let read: Value = serde_json::from_slice(&EventV1::stdin(&write())).unwrap();
        for (pointer, expected) in [
            ("/event", json!("tool:post")),
            ("/tool/path", json!("/p/a.py")),
            ("/tool/kind", json!("write")),
            ("/hook_event_name", json!("PostToolUse")),
            ("/tool_name", json!("Write")),
            ("/tool_input/content", json!("x")),
            ("/tool_response/type", json!("create")),
            ("/tool_use_id", json!("t1")),
            ("/transcript_path", json!("/t")),
            ("/permission_mode", json!("default")),
            ("/raw/permission_mode", json!("default")),
        ] {
            assert_eq!(read.pointer(pointer), Some(&expected), "{pointer}");
        }
    }

    #[test]
    fn written_form_is_read_back() {
        let event = write();
        let read: EventV1 = serde_json::from_slice(&EventV1::stdin(&event)).unwrap();
        let mut back = read.into_event(EventKind::ToolPost, event.at);
        back.data.clear();
        assert_eq!(back, event);
    }

    #[test]
    fn program_may_use_claude_names() {
        let text = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "ticket": 7});
        let read: EventV1 = serde_json::from_value(text).unwrap();
        let event = read.into_event(EventKind::ToolPre, Timestamp::default());
        assert_eq!(event.tool.unwrap().command.as_deref(), Some("ls"));
        assert_eq!(event.data.get("ticket"), Some(&json!(7)));
    }
}
