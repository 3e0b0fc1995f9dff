//! Claude Code's JSON, exactly as it is written.

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::ports::DecodeError;

/// What any of its payloads may hold, for as far as we read it.
///
/// Read by hand and not by serde: a field of an unexpected type counts as absent. A derived reader would
/// refuse the whole payload for it, and no guard would see the call.
#[derive(Debug)]
pub(super) struct PayloadWire<'a> {
    pub(super) hook_event_name: &'a str,
    pub(super) session_id: Option<&'a str>,
    pub(super) cwd: Option<&'a str>,
    pub(super) prompt_id: Option<&'a str>,
    pub(super) agent_id: Option<&'a str>,
    pub(super) agent_type: Option<&'a str>,
    pub(super) source: Option<&'a str>,
    pub(super) trigger: Option<&'a str>,
    pub(super) notification_type: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    pub(super) message: Option<&'a str>,
    pub(super) last_assistant_message: Option<&'a str>,
    pub(super) compact_summary: Option<&'a str>,
    pub(super) error: Option<&'a str>,
    pub(super) error_details: Option<&'a str>,
    pub(super) is_interrupt: Option<bool>,
    pub(super) duration_ms: Option<u64>,
    pub(super) file_path: Option<&'a str>,
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
            cwd: word("cwd"),
            prompt_id: word("prompt_id"),
            agent_id: word("agent_id"),
            agent_type: word("agent_type"),
            source: word("source"),
            trigger: word("trigger"),
            notification_type: word("notification_type"),
            reason: word("reason"),
            prompt: text("prompt"),
            message: text("message"),
            last_assistant_message: text("last_assistant_message"),
            compact_summary: text("compact_summary"),
            error: text("error"),
            error_details: text("error_details"),
            is_interrupt: payload.get("is_interrupt").and_then(Value::as_bool),
            duration_ms: payload.get("duration_ms").and_then(milliseconds),
            file_path: word("file_path"),
            tool_name: word("tool_name"),
            tool_input: payload.get("tool_input"),
            tool_response: payload.get("tool_response"),
            tool_use_id: word("tool_use_id"),
        })
    }
}

/// JavaScript measures time in fractions of a millisecond; the fraction is of no interest.
fn milliseconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let duration = Duration::try_from_secs_f64(value.as_f64()? / 1000.0).ok()?;
        u64::try_from(duration.as_millis()).ok()
    })
}

/// An answer. The order of the fields is the order on the wire.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerWire<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<BlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppress_output: Option<bool>,
    #[serde(skip_serializing_if = "SpecificWire::is_bare")]
    pub(super) hook_specific_output: SpecificWire<'a>,
}

impl AnswerWire<'_> {
    /// Whether it says nothing, so that nothing is printed.
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            go_on,
            stop_reason,
            decision,
            reason,
            system_message,
            suppress_output,
            hook_specific_output,
        } = self;
        go_on.is_none()
            && stop_reason.is_none()
            && decision.is_none()
            && reason.is_none()
            && system_message.is_none()
            && suppress_output.is_none()
            && hook_specific_output.is_bare()
    }
}

/// A deny for an event that is not known, without `hookSpecificOutput`, which would have to name it. `decision` is Claude
/// Code's; the others are Copilot CLI's, before a tool and at a permission request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefusalWire<'a> {
    decision: BlockWire,
    reason: &'a str,
    permission_decision: PermissionWire,
    permission_decision_reason: &'a str,
    behavior: PermissionWire,
    message: &'a str,
}

impl<'a> RefusalWire<'a> {
    pub(super) fn new(reason: &'a str) -> Self {
        Self {
            decision: BlockWire::Block,
            reason,
            permission_decision: PermissionWire::Deny,
            permission_decision_reason: reason,
            behavior: PermissionWire::Deny,
            message: reason,
        }
    }
}

/// The only `decision` at the top level that is not the same as silence.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BlockWire {
    Block,
}

/// The part of an answer that belongs to one event. Claude Code throws the whole answer away, a deny
/// included, unless `hookEventName` is there and right.
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
    pub(super) updated_input: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_tool_output: Option<Value>,
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
    Allow,
    Ask,
    Deny,
}

/// `decision` at `PermissionRequest`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum DecisionWire<'a> {
    Allow {
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<&'a Map<String, Value>>,
    },
    Deny {
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        interrupt: Option<bool>,
    },
}
