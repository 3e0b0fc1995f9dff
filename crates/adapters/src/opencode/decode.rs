//! The plugin's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{AgentName, Event, EventError, EventKind, SessionId, ToolCall};

use super::tools;
use super::wire::{EVENTS, PayloadWire};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(
    agent: &AgentName,
    payload: Map<String, Value>,
    surroundings: &Surroundings,
) -> Result<Event, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = kind(agent, wire.hook_event_name)?;
    let about_to_run = matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
    if about_to_run && wire.tool.is_none() {
        return Err(DecodeError::BadField { field: "tool" });
    }
    let session = wire.session_id.and_then(SessionId::parse).unwrap_or_else(SessionId::unknown);
    let event = Event {
        agent_id: wire.agent_id.map(str::to_owned),
        agent_type: wire.agent_type.map(str::to_owned),
        cwd: wire.cwd.map(str::to_owned),
        project_root: wire.project_root.map(str::to_owned),
        attended: wire.attended,
        turn: wire.turn.map(str::to_owned),
        source: wire.source.map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        prompt: wire.prompt.map(str::to_owned),
        files: wire.files.iter().map(|file| (*file).to_owned()).collect(),
        error: wire.error.map(|message| EventError {
            kind: wire.error_kind.map(str::to_owned),
            message: message.to_owned(),
        }),
        tool: wire.tool.map(|name| tool(name, &wire)),
        ..Event::new(kind, agent.clone(), session, surroundings.at)
    };
    Ok(Event { raw: Value::Object(payload), ..event })
}

/// Whether the agent was sent on before, in the same turn.
pub(super) fn again(event: &Event) -> bool {
    let Value::Object(payload) = &event.raw else { return false };
    PayloadWire::read(payload).is_ok_and(|wire| wire.again == Some(true))
}

fn kind(agent: &AgentName, name: &str) -> Result<EventKind, DecodeError> {
    let known = EVENTS.iter().find(|(own, _)| *own == name);
    known.map_or_else(|| door::foreign_event(agent, name), |(_, kind)| Ok(kind.clone()))
}

fn tool(name: &str, wire: &PayloadWire<'_>) -> ToolCall {
    ToolCall {
        output: wire.output.cloned(),
        exit_code: wire.exit_code,
        call_id: wire.call_id.map(str::to_owned),
        ..tools::call(name, wire.mcp_server, wire.args)
    }
}
