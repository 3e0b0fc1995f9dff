//! Cline's JSON, exactly as it is written.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::DecodeError;

use crate::door;

/// Its events: the word in a payload of the command line, the name of the file that is run (which is also the word
/// in a payload of the extension), and ours.
pub(super) static EVENTS: &[(&str, &str, EventKind)] = &[
    ("agent_start", "TaskStart", EventKind::SessionStart),
    ("agent_resume", "TaskResume", EventKind::SessionStart),
    ("prompt_submit", "UserPromptSubmit", EventKind::PromptSubmit),
    ("tool_call", "PreToolUse", EventKind::ToolPre),
    ("tool_result", "PostToolUse", EventKind::ToolPost),
    ("agent_end", "TaskComplete", EventKind::OrchestratorComplete),
    ("agent_error", "TaskError", EventKind::ErrorOrchestrator),
    ("session_shutdown", "SessionShutdown", EventKind::SessionEnd),
    ("pre_compact", "PreCompact", EventKind::ContextPreCompact),
    ("notification", "Notification", EventKind::UserNotification),
];

/// The event without a counterpart: somebody ended a run.
pub(super) const CANCEL: (&str, &str) = ("agent_abort", "TaskCancel");

/// What any of its payloads may hold, for as far as we read it.
///
/// Read by hand and not by serde: a field of an unexpected type counts as absent. A derived reader would
/// refuse the whole payload for it, and no guard would see the call.
#[derive(Debug)]
pub(super) struct PayloadWire<'a> {
    pub(super) hook_name: &'a str,
    /// The session that the user sees; a sub-agent has a task of its own in it.
    pub(super) session: Option<&'a str>,
    pub(super) workspace: Option<&'a str>,
    pub(super) agent_id: Option<&'a str>,
    /// Who started the agent; only a sub-agent has one.
    pub(super) parent_agent_id: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    /// What the agent said last.
    pub(super) output_text: Option<&'a str>,
    pub(super) error: Option<&'a Value>,
    pub(super) tool: Option<ToolWire<'a>>,
}

/// A tool call, before or after it.
#[derive(Debug)]
pub(super) struct ToolWire<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) input: Option<&'a Value>,
    pub(super) output: Option<&'a Value>,
    pub(super) error: Option<&'a Value>,
    /// The extension tells a failure so.
    pub(super) failed: bool,
}

impl<'a> PayloadWire<'a> {
    /// Reads a payload; only one without the name of its event is none.
    pub(super) fn read(payload: &'a Map<String, Value>) -> Result<Self, DecodeError> {
        let word = |key: &str| as_word(payload.get(key));
        let inner = |key: &str, field: &str| payload.get(key).and_then(|value| value.get(field));
        let first_root = payload.get("workspaceRoots").and_then(|roots| roots.get(0));
        Ok(Self {
            hook_name: word("hookName")
                .or_else(|| door::unknown_event(payload))
                .ok_or(DecodeError::BadField { field: "hookName" })?,
            session: as_word(inner("sessionContext", "rootSessionId")).or_else(|| word("taskId")),
            workspace: as_word(first_root).or_else(|| as_word(inner("workspaceInfo", "rootPath"))),
            agent_id: word("agent_id"),
            parent_agent_id: word("parent_agent_id"),
            reason: word("reason"),
            prompt: inner("userPromptSubmit", "prompt").and_then(Value::as_str),
            output_text: inner("turn", "outputText").and_then(Value::as_str),
            error: payload.get("error"),
            tool: tool(payload),
        })
    }
}

fn as_word(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|word| !word.is_empty())
}

/// The call: as the command line tells it, with every value as it is, else as the extension does, where every value
/// is a text.
fn tool(payload: &Map<String, Value>) -> Option<ToolWire<'_>> {
    let of = |key: &str, name: &str| {
        let fields = payload.get(key)?;
        Some((fields, as_word(fields.get(name))?))
    };
    let (fields, name) = of("tool_call", "name")
        .or_else(|| of("tool_result", "name"))
        .or_else(|| of("preToolUse", "toolName"))
        .or_else(|| of("postToolUse", "toolName"))?;
    Some(ToolWire {
        id: as_word(fields.get("id")),
        name,
        input: fields.get("input").or_else(|| fields.get("parameters")),
        output: fields.get("output").or_else(|| fields.get("result")),
        error: fields.get("error").filter(|error| !error.is_null()),
        failed: fields.get("success") == Some(&Value::Bool(false)),
    })
}

/// An answer. The order of the fields is the order on the wire.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerWire<'a> {
    /// Ends the run. There is no way to refuse a call alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) cancel: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_modification: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) override_input: Option<Value>,
}
