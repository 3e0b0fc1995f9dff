//! Copilot CLI's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{Event, EventError, EventKind, SessionId, ToolCall, ToolKind};

use super::wire::{EVENTS, OTHERS, PayloadWire, SUBAGENT_TURN};
use super::{NAME, PROJECT_VARIABLES, tools};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(payload: Map<String, Value>, surroundings: &Surroundings) -> Result<Event, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = kind(&wire)?;
    let about_to_run = matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
    if about_to_run && wire.tool_name.is_none() {
        return Err(DecodeError::BadField { field: "tool_name" });
    }
    let event = Event {
        agent_id: wire.agent_id.map(str::to_owned),
        agent_type: wire.agent_type.map(str::to_owned),
        cwd: wire.cwd.map(str::to_owned),
        project_root: surroundings.first_of(&PROJECT_VARIABLES).map(str::to_owned),
        source: wire.source.map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        prompt: wire.prompt.map(str::to_owned),
        message: wire.message.map(str::to_owned),
        error: error(&wire),
        tool: wire.tool_name.map(|name| tool(name, &kind, &wire)),
        ..Event::new(kind, NAME, session(&wire), surroundings.at)
    };
    Ok(Event { raw: Value::Object(payload), ..event })
}

fn kind(wire: &PayloadWire<'_>) -> Result<EventKind, DecodeError> {
    let own = |name: &str| EventKind::Other(format!("{NAME}:{name}"));
    let is = |camel: &str, pascal: &str| camel == wire.event || pascal == wire.event;
    if let Some((_, pascal)) = OTHERS.iter().find(|(camel, pascal)| is(camel, pascal)) {
        return Ok(own(pascal));
    }
    match EVENTS.iter().find(|(camel, pascal, _)| is(camel, pascal)) {
        Some((_, _, EventKind::OrchestratorComplete)) if wire.agent_id.is_some() => Ok(own(SUBAGENT_TURN)),
        Some((_, _, kind)) => Ok(kind.clone()),
        None => door::foreign_event(&NAME, wire.event),
    }
}

/// The session that the user sees. A sub-agent's own events come under its own id, others about it under that of
/// the agent that started it.
fn session(wire: &PayloadWire<'_>) -> SessionId {
    let own = wire.agent_id.is_some() && wire.agent_id == wire.session_id;
    let id = if own { wire.parent_agent_id.or(wire.session_id) } else { wire.session_id };
    id.and_then(SessionId::parse).unwrap_or_else(SessionId::unknown)
}

/// What failed: a text where a tool did, an object where the agent itself did.
fn error(wire: &PayloadWire<'_>) -> Option<EventError> {
    let kind = wire.error_context.map(str::to_owned);
    match wire.error? {
        Value::Null => None,
        Value::String(message) => Some(EventError { kind, message: message.clone() }),
        Value::Object(error) => {
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            Some(EventError { kind, message })
        }
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
            Some(EventError { kind, message: other.to_string() })
        }
    }
}

fn tool(name: &str, kind: &EventKind, wire: &PayloadWire<'_>) -> ToolCall {
    let call = match kind {
        // What is about to be asked has keys of its own, which are ours.
        EventKind::PermissionRequest => tools::call_as_it_is(name, wire.tool_input),
        _ => tools::call(name, wire.tool_input),
    };
    let exit_code = wire.tool_result.filter(|_| call.kind == ToolKind::Shell).and_then(tools::exit_code);
    ToolCall { output: wire.tool_result.cloned(), exit_code, ..call }
}
