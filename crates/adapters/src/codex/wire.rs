//! Codex CLI's JSON, exactly as it is written.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::DecodeError;

/// Its events and ours. Only its own spellings lead to ours. `Interrupt` has no counterpart.
pub(super) static EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("PreModelRequest", EventKind::ProviderRequest),
    ("PostModelRequest", EventKind::ProviderResponse),
    ("PreCompact", EventKind::ContextPreCompact),
    ("PostCompact", EventKind::ContextPostCompact),
    ("Stop", EventKind::OrchestratorComplete),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentComplete),
];

/// Whether it calls one of its events so.
pub(super) fn is_its_own(name: &str) -> bool {
    name == "Interrupt" || EVENTS.iter().any(|(own, _)| *own == name)
}

/// What any of its payloads may hold, for as far as we read it.
///
/// Read by hand and not by serde: a field of an unexpected type counts as absent. A derived reader would
/// refuse the whole payload for it, and no guard would see the call.
#[derive(Debug)]
pub(super) struct PayloadWire<'a> {
    pub(super) hook_event_name: &'a str,
    pub(super) session_id: Option<&'a str>,
    pub(super) turn_id: Option<&'a str>,
    pub(super) cwd: Option<&'a str>,
    pub(super) agent_id: Option<&'a str>,
    pub(super) agent_type: Option<&'a str>,
    pub(super) source: Option<&'a str>,
    pub(super) trigger: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    pub(super) last_assistant_message: Option<&'a str>,
    pub(super) tool_name: Option<&'a str>,
    pub(super) tool_input: Option<&'a Value>,
    pub(super) tool_response: Option<&'a Value>,
    pub(super) tool_use_id: Option<&'a str>,
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
            turn_id: word("turn_id"),
            cwd: word("cwd"),
            agent_id: word("agent_id"),
            agent_type: word("agent_type"),
            source: word("source"),
            trigger: word("trigger"),
            reason: word("reason"),
            prompt: text("prompt"),
            last_assistant_message: text("last_assistant_message"),
            tool_name: word("tool_name"),
            tool_input: payload.get("tool_input"),
            tool_response: payload.get("tool_response"),
            tool_use_id: word("tool_use_id"),
        })
    }
}

/// An answer. The order of the fields is the order on the wire.
///
/// One field that an event does not know throws the whole answer away, a deny included, and nobody is told. So
/// there is no `suppressOutput`, which some events refuse and none needs.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerWire<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<BlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "SpecificWire::is_bare")]
    pub(super) hook_specific_output: SpecificWire<'a>,
}

impl AnswerWire<'_> {
    /// Whether it says nothing, so that nothing is printed.
    pub(super) fn is_empty(&self) -> bool {
        let Self { goes_on, stop_reason, decision, reason, system_message, hook_specific_output } = self;
        goes_on.is_none()
            && stop_reason.is_none()
            && decision.is_none()
            && reason.is_none()
            && system_message.is_none()
            && hook_specific_output.is_bare()
    }
}

/// The only `decision` at the top level that is not the same as silence.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BlockWire {
    Block,
}

/// The part of an answer that belongs to one event, which it must name.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpecificWire<'a> {
    pub(super) hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<PermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DecisionWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<&'a str>,
}

impl SpecificWire<'_> {
    /// Whether there is nothing in it but the name of the event.
    fn is_bare(&self) -> bool {
        *self == SpecificWire { hook_event_name: self.hook_event_name, ..SpecificWire::default() }
    }
}

/// `permissionDecision` at `PreToolUse`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PermissionWire {
    /// Taken together with a changed input, and only then: it is the form of a rewrite, not a permission.
    Allow,
    Deny,
}

/// `decision` at `PermissionRequest`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
pub(super) enum DecisionWire<'a> {
    Allow,
    Deny { message: &'a str },
}
