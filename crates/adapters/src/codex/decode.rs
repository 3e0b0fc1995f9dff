//! Codex CLI's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{Event, EventKind, SessionId, ToolCall};

use super::wire::{EVENTS, PayloadWire};
use super::{NAME, tools};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(payload: Map<String, Value>, surroundings: &Surroundings) -> Result<Event, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = kind(wire.hook_event_name)?;
    let about_to_run = matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
    if about_to_run && wire.tool_name.is_none() {
        return Err(DecodeError::BadField { field: "tool_name" });
    }
    let session = wire.session_id.and_then(SessionId::parse).unwrap_or_else(SessionId::unknown);
    let event = Event {
        agent_id: wire.agent_id.map(str::to_owned),
        agent_type: wire.agent_type.map(str::to_owned),
        cwd: wire.cwd.map(str::to_owned),
        turn: wire.turn_id.map(str::to_owned),
        source: wire.source.or(wire.trigger).map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        prompt: wire.prompt.map(str::to_owned),
        message: wire.last_assistant_message.map(str::to_owned),
        tool: wire.tool_name.map(|name| tool(name, &wire)),
        ..Event::new(kind, NAME, session, surroundings.at)
    };
    Ok(Event { raw: Value::Object(payload), ..event })
}

fn kind(name: &str) -> Result<EventKind, DecodeError> {
    let known = EVENTS.iter().find(|(own, _)| *own == name);
    known.map_or_else(|| door::foreign_event(&NAME, name), |(_, kind)| Ok(kind.clone()))
}

/// A result is a text without an exit code, whatever became of the command: none is made up.
fn tool(name: &str, wire: &PayloadWire<'_>) -> ToolCall {
    ToolCall {
        output: wire.tool_response.cloned(),
        call_id: wire.tool_use_id.map(str::to_owned),
        ..tools::call(name, door::input(wire.tool_input))
    }
}
