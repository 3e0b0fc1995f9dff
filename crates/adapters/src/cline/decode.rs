//! What Cline's payloads say beyond the table.

use serde_json::Value;
use tenter_contract::ports::Surroundings;
use tenter_contract::{Event, EventKind, ToolCall, ToolKind};

use super::tools;
use crate::agent_spec::{AgentSpec, Payload, error_from_value};

/// The objects of a call, and the key of its name in each: of the command line, then of the extension, where every value
/// is a text.
const CALLS: [(&str, &str); 4] =
    [("tool_call", "name"), ("tool_result", "name"), ("preToolUse", "toolName"), ("postToolUse", "toolName")];

/// The object of the call, and its name.
fn native_call<'a>(payload: &Payload<'a>) -> Option<(&'a Value, &'a str)> {
    CALLS.iter().find_map(|(key, name)| {
        let fields = payload.top.get(*key)?;
        Some((fields, fields.get(*name)?.as_str().filter(|name| !name.is_empty())?))
    })
}

pub(super) fn call(_: &AgentSpec, payload: &Payload<'_>, _event: &str) -> Option<ToolCall> {
    let (fields, name) = native_call(payload)?;
    Some(tools::call(name, fields.get("input").or_else(|| fields.get("parameters"))))
}

pub(super) fn complete(event: &mut Event, payload: &Payload<'_>, _: &Surroundings) {
    let is_sub_agent = payload.word(&["parent_agent_id"]).is_some();
    // The agent that the user talks to has an id too.
    event.agent_id = payload.word(&["agent_id"]).filter(|_| is_sub_agent).map(str::to_owned);
    let call = native_call(payload).map(|(fields, _)| fields);
    let tool_error = call.and_then(|call| call.get("error")).filter(|error| !error.is_null());
    let failed = call.is_some_and(|call| call.get("success") == Some(&Value::Bool(false)));
    event.error = payload.top.get("error").or(tool_error).and_then(|error| error_from_value(error, "name"));
    match event.kind {
        EventKind::ToolPost if failed || tool_error.is_some() => event.kind = EventKind::ToolError,
        // A sub-agent begins and ends with the same events. If it is stopped, only its session ends.
        EventKind::SessionStart if is_sub_agent => event.kind = EventKind::SubagentStart,
        EventKind::OrchestratorComplete | EventKind::SessionEnd if is_sub_agent => {
            event.kind = EventKind::SubagentComplete;
        }
        _ => {}
    }
    if let (Some(tool), Some(call)) = (&mut event.tool, call) {
        tool.output = call.get("output").or_else(|| call.get("result")).cloned();
        tool.call_id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        let output = tool.output.as_ref().filter(|_| tool.kind == ToolKind::Shell);
        tool.exit_code = output.and_then(tools::exit_code);
    }
}
