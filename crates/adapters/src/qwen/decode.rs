//! Qwen Code's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, EventError, EventKind, SessionId, ToolCall, ToolKind};

use super::tools::{self, Tool};
use super::wire::{EVENTS, PayloadWire};
use super::{NAME, PROJECT_VARIABLES};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(
    payload: Map<String, Value>,
    surroundings: &Surroundings,
) -> Result<Decoded, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = kind(wire.hook_event_name)?;
    // It says that a prompt comes also when it sends results to the model. Nobody has prompted then: hooks that
    // inject would do so again and again.
    if kind == EventKind::PromptSubmit && wire.prompt == Some("") {
        return Ok(Decoded::NotForUs);
    }
    let about_to_run = matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
    if about_to_run && wire.tool_name.is_none() {
        return Err(DecodeError::BadField { field: "tool_name" });
    }
    let session = wire.session_id.and_then(SessionId::parse).unwrap_or_else(SessionId::unknown);
    let event = Event {
        agent_id: wire.agent_id.map(str::to_owned),
        agent_type: wire.agent_type.map(str::to_owned),
        cwd: wire.cwd.map(str::to_owned),
        project_root: surroundings.first_of(&PROJECT_VARIABLES).map(str::to_owned),
        source: wire.source.or(wire.trigger).or(wire.notification_type).map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        prompt: wire.prompt.map(str::to_owned),
        message: wire.message.or(wire.last_assistant_message).or(wire.compact_summary).map(str::to_owned),
        error: error(&kind, &wire),
        tool: wire.tool_name.map(|name| tool(name, &wire)),
        ..Event::new(kind, NAME, session, surroundings.at)
    };
    Ok(Decoded::Event(Box::new(Event { raw: Value::Object(payload), ..event })))
}

fn kind(name: &str) -> Result<EventKind, DecodeError> {
    let known = EVENTS.iter().find(|(own, _)| *own == name);
    known.map_or_else(|| door::foreign_event(&NAME, name), |(_, kind)| Ok(kind.clone()))
}

/// What failed. `error` is a text where a tool failed and a code where the agent itself did.
fn error(kind: &EventKind, wire: &PayloadWire<'_>) -> Option<EventError> {
    match kind {
        EventKind::ToolError => Some(EventError {
            kind: (wire.is_interrupt == Some(true)).then(|| "interrupt".to_owned()),
            message: wire.error.unwrap_or_default().to_owned(),
        }),
        EventKind::ErrorOrchestrator => Some(EventError {
            kind: wire.error.map(str::to_owned),
            message: wire.error_details.or(wire.last_assistant_message).unwrap_or_default().to_owned(),
        }),
        _ => None,
    }
}

fn tool(native_name: &str, wire: &PayloadWire<'_>) -> ToolCall {
    let tool = Tool::of(native_name);
    let input = tool.translated(&door::input(wire.tool_input));
    ToolCall {
        native_name: native_name.to_owned(),
        output: wire.tool_response.cloned(),
        exit_code: wire.tool_response.filter(|_| tool.kind == ToolKind::Shell).and_then(tools::exit_code),
        call_id: wire.tool_use_id.map(str::to_owned),
        ..ToolCall::new(tool.name, tool.kind, input)
    }
}
