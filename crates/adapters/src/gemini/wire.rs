//! Gemini CLI's JSON, exactly as it is written.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::DecodeError;

/// Its events and ours. Only its own spellings lead to ours: another agent's alias in its payload is an event
/// we do not know.
pub(super) static EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("BeforeAgent", EventKind::PromptSubmit),
    ("AfterAgent", EventKind::OrchestratorComplete),
    ("BeforeTool", EventKind::ToolPre),
    ("AfterTool", EventKind::ToolPost),
    ("BeforeModel", EventKind::ProviderRequest),
    ("AfterModel", EventKind::ProviderResponse),
    ("BeforeToolSelection", EventKind::DecisionToolResolution),
    ("PreCompress", EventKind::ContextPreCompact),
    ("Notification", EventKind::UserNotification),
];

/// What any of its payloads may hold, for as far as we read it.
///
/// Read by hand and not by serde: a field of an unexpected type counts as absent. A derived reader would
/// refuse the whole payload for it, and no guard would see the call.
#[derive(Debug)]
pub(super) struct PayloadWire<'a> {
    pub(super) hook_event_name: &'a str,
    pub(super) session_id: Option<&'a str>,
    pub(super) cwd: Option<&'a str>,
    pub(super) source: Option<&'a str>,
    pub(super) trigger: Option<&'a str>,
    pub(super) notification_type: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    pub(super) prompt_response: Option<&'a str>,
    pub(super) message: Option<&'a str>,
    /// The text of `llm_response`.
    pub(super) response_text: Option<&'a str>,
    pub(super) tool_name: Option<&'a str>,
    pub(super) tool_input: Option<&'a Value>,
    pub(super) tool_response: Option<&'a Value>,
    /// The server and the tool's name there, for a tool of an MCP server.
    pub(super) mcp_context: Option<(&'a str, &'a str)>,
}

impl<'a> PayloadWire<'a> {
    /// Reads a payload; only one without the name of its event is none.
    pub(super) fn read(payload: &'a Map<String, Value>) -> Result<Self, DecodeError> {
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        let word = |key: &str| text(key).filter(|word| !word.is_empty());
        let hook_event_name =
            word("hook_event_name").ok_or(DecodeError::BadField { field: "hook_event_name" })?;
        Ok(Self {
            hook_event_name,
            session_id: word("session_id"),
            cwd: word("cwd"),
            source: word("source"),
            trigger: word("trigger"),
            notification_type: word("notification_type"),
            reason: word("reason"),
            prompt: text("prompt"),
            prompt_response: text("prompt_response"),
            message: text("message"),
            response_text: payload.get("llm_response").and_then(|response| response.get("text")?.as_str()),
            tool_name: word("tool_name"),
            tool_input: payload.get("tool_input"),
            tool_response: payload.get("tool_response"),
            mcp_context: mcp_context(payload),
        })
    }
}

/// The server and the tool's name there, if the payload tells both.
pub(super) fn mcp_context(payload: &Map<String, Value>) -> Option<(&str, &str)> {
    let context = payload.get("mcp_context")?;
    let word = |key: &str| context.get(key)?.as_str().filter(|word| !word.is_empty());
    Some((word("server_name")?, word("tool_name")?))
}

/// An answer. The order of the fields is the order on the wire.
///
/// There is no `suppressOutput`: all it does is hide the `systemMessage` of the same answer, and an answer
/// without one leaves nothing in the transcript.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerWire<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DenyWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "SpecificWire::is_bare")]
    pub(super) hook_specific_output: SpecificWire<'a>,
}

impl AnswerWire<'_> {
    /// Whether it says nothing, so that nothing is printed.
    pub(super) fn is_empty(&self) -> bool {
        let Self { go_on, stop_reason, decision, reason, system_message, hook_specific_output } = self;
        go_on.is_none()
            && stop_reason.is_none()
            && decision.is_none()
            && reason.is_none()
            && system_message.is_none()
            && hook_specific_output.is_bare()
    }
}

/// The only `decision` that is given. `allow` lifts nothing, and `ask` ends a run that nobody watches.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DenyWire {
    Deny,
}

/// The part of an answer that belongs to one event.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct SpecificWire<'a> {
    #[serde(rename = "hookEventName")]
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_input: Option<Map<String, Value>>,
    #[serde(rename = "additionalContext", skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<&'a str>,
}

impl SpecificWire<'_> {
    /// Whether there is nothing in it but the name of the event.
    fn is_bare(&self) -> bool {
        self.tool_input.is_none() && self.additional_context.is_none()
    }
}
