//! Gemini CLI's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{Event, EventError, EventKind, SessionId, ToolCall, ToolKind};

use super::tools::Tool;
use super::wire::{EVENTS, PayloadWire};
use super::{NAME, PROJECT_VARIABLES, SESSION_VARIABLE, tools};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(payload: Map<String, Value>, surroundings: &Surroundings) -> Result<Event, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = kind(wire.hook_event_name)?;
    if kind == EventKind::ToolPre && wire.tool_name.is_none() {
        return Err(DecodeError::BadField { field: "tool_name" });
    }
    let session = wire.session_id.or_else(|| surroundings.variable(SESSION_VARIABLE));
    let session = session.and_then(SessionId::parse).unwrap_or_else(SessionId::unknown);
    let event = Event {
        cwd: wire.cwd.map(str::to_owned),
        project_root: surroundings.first_of(&PROJECT_VARIABLES).map(str::to_owned),
        source: wire.source.or(wire.trigger).or(wire.notification_type).map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        prompt: wire.prompt.map(str::to_owned),
        message: wire.message.or(wire.prompt_response).or(wire.response_text).map(str::to_owned),
        error: wire.tool_response.and_then(error),
        tool: wire.tool_name.map(|name| tool(name, &wire)),
        ..Event::new(kind, NAME, session, surroundings.at)
    };
    Ok(Event { raw: Value::Object(payload), ..event })
}

fn kind(name: &str) -> Result<EventKind, DecodeError> {
    let known = EVENTS.iter().find(|(own, _)| *own == name);
    known.map_or_else(|| door::foreign_event(&NAME, name), |(_, kind)| Ok(kind.clone()))
}

/// What failed. Gemini CLI has no event for it: the result of a failed tool is a result with an error.
fn error(response: &Value) -> Option<EventError> {
    match response.get("error")? {
        Value::Null => None,
        Value::Object(error) => {
            let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(EventError { kind: text("type"), message: text("message").unwrap_or_default() })
        }
        Value::String(message) => Some(EventError { kind: None, message: message.clone() }),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
            Some(EventError { kind: None, message: other.to_string() })
        }
    }
}

fn tool(native_name: &str, wire: &PayloadWire<'_>) -> ToolCall {
    let tool = Tool::of(native_name, wire.mcp_context);
    let input = tool.translated(&door::input(wire.tool_input));
    ToolCall {
        native_name: native_name.to_owned(),
        output: wire.tool_response.cloned(),
        exit_code: wire.tool_response.filter(|_| tool.kind == ToolKind::Shell).and_then(tools::exit_code),
        ..ToolCall::new(&tool.name, tool.kind, input)
    }
}
