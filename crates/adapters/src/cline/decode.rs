//! Cline's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{Event, EventError, EventKind, SessionId, ToolCall, ToolKind};

use super::wire::{CANCEL, EVENTS, PayloadWire, ToolWire};
use super::{NAME, tools};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(payload: Map<String, Value>, surroundings: &Surroundings) -> Result<Event, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = kind(&wire)?;
    if kind == EventKind::ToolPre && wire.tool.is_none() {
        return Err(DecodeError::BadField { field: "tool_call" });
    }
    // The agent that the user talks to has an id too.
    let sub_agent = wire.agent_id.filter(|_| wire.parent_agent_id.is_some());
    let event = Event {
        agent_id: sub_agent.map(str::to_owned),
        cwd: wire.workspace.map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        prompt: wire.prompt.map(str::to_owned),
        message: wire.output_text.map(str::to_owned),
        error: wire.error.or(wire.tool.as_ref().and_then(|tool| tool.error)).and_then(error),
        tool: wire.tool.as_ref().map(tool),
        ..Event::new(kind, NAME, session(&wire), surroundings.at)
    };
    Ok(Event { raw: Value::Object(payload), ..event })
}

fn kind(wire: &PayloadWire<'_>) -> Result<EventKind, DecodeError> {
    let is = |word: &str, file: &str| word == wire.hook_name || file == wire.hook_name;
    if is(CANCEL.0, CANCEL.1) {
        return Ok(EventKind::Other(format!("{NAME}:{}", CANCEL.1)));
    }
    let known = EVENTS.iter().find(|(word, file, _)| is(word, file));
    let kind = known.map_or_else(|| door::foreign_event(&NAME, wire.hook_name), |row| Ok(row.2.clone()))?;
    let failed = wire.tool.as_ref().is_some_and(|tool| tool.failed || tool.error.is_some());
    Ok(match kind {
        EventKind::ToolPost if failed => EventKind::ToolError,
        // A sub-agent begins and ends by the same words. If it is made to stop, only its session is told to end.
        EventKind::SessionStart if wire.parent_agent_id.is_some() => EventKind::SubagentStart,
        EventKind::OrchestratorComplete | EventKind::SessionEnd if wire.parent_agent_id.is_some() => {
            EventKind::SubagentComplete
        }
        kind => kind,
    })
}

fn session(wire: &PayloadWire<'_>) -> SessionId {
    wire.session.and_then(SessionId::parse).unwrap_or_else(SessionId::unknown)
}

/// What failed: a text where a tool did, an object where the agent itself did.
fn error(error: &Value) -> Option<EventError> {
    let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
    match error {
        Value::Null => None,
        Value::String(message) => Some(EventError { kind: None, message: message.clone() }),
        Value::Object(_) => {
            Some(EventError { kind: text("name"), message: text("message").unwrap_or_default() })
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            Some(EventError { kind: None, message: error.to_string() })
        }
    }
}

fn tool(wire: &ToolWire<'_>) -> ToolCall {
    let call = tools::call(wire.name, wire.input);
    let exit_code = wire.output.filter(|_| call.kind == ToolKind::Shell).and_then(tools::exit_code);
    ToolCall { output: wire.output.cloned(), exit_code, call_id: wire.id.map(str::to_owned), ..call }
}
