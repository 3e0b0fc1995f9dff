//! Claude Code's payload becomes our event.

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{Event, EventError, EventKind, SessionId, ToolCall, ToolKind};

use super::wire::PayloadWire;
use super::{ATTENDED, ENTRYPOINT, NAME, PROJECT_VARIABLES, tools};
use crate::door;

/// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge
/// it and it would pass in silence.
pub(super) fn decode(payload: Map<String, Value>, surroundings: &Surroundings) -> Result<Event, DecodeError> {
    let wire = PayloadWire::read(&payload)?;
    let kind = match kind(wire.hook_event_name)? {
        EventKind::Other(_) if wire.tool_name.is_some() && is_before_a_tool(wire.hook_event_name) => {
            EventKind::ToolPre
        }
        kind => kind,
    };
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
        attended: attended(surroundings),
        turn: wire.prompt_id.map(str::to_owned),
        source: wire.source.or(wire.trigger).or(wire.notification_type).map(str::to_owned),
        reason: wire.reason.map(str::to_owned),
        duration_ms: wire.duration_ms,
        prompt: wire.prompt.map(str::to_owned),
        files: wire.file_path.map(str::to_owned).into_iter().collect(),
        message: wire.message.or(wire.last_assistant_message).or(wire.compact_summary).map(str::to_owned),
        error: error(&kind, &wire),
        tool: wire.tool_name.map(|name| tool(name, &kind, &wire)),
        ..Event::new(kind, NAME, session, surroundings.at)
    };
    Ok(Event { raw: Value::Object(payload), ..event })
}

/// Whether somebody sits there, if it says so. Where it does not, a question to nobody is denied by itself.
fn attended(surroundings: &Surroundings) -> Option<bool> {
    match (surroundings.variable(ATTENDED), surroundings.variable(ENTRYPOINT)) {
        (Some("0" | "false"), _) => Some(false),
        (Some(_), _) => Some(true),
        (None, Some(entry)) => Some(!entry.starts_with("sdk")),
        (None, None) => None,
    }
}

/// The event of a name. Only Claude Code's own spellings lead to ours.
fn kind(name: &str) -> Result<EventKind, DecodeError> {
    Ok(match name {
        "SessionStart" => EventKind::SessionStart,
        "SessionEnd" => EventKind::SessionEnd,
        "UserPromptSubmit" => EventKind::PromptSubmit,
        "PreToolUse" => EventKind::ToolPre,
        "PostToolUse" => EventKind::ToolPost,
        "PostToolUseFailure" => EventKind::ToolError,
        "PermissionRequest" => EventKind::PermissionRequest,
        "PreCompact" => EventKind::ContextPreCompact,
        "PostCompact" => EventKind::ContextPostCompact,
        "Stop" => EventKind::OrchestratorComplete,
        "SubagentStart" => EventKind::SubagentStart,
        "SubagentStop" => EventKind::SubagentComplete,
        "Notification" => EventKind::UserNotification,
        "StopFailure" => EventKind::ErrorOrchestrator,
        other => return door::foreign_event(&NAME, other),
    })
}

/// Whether an agent that reads Claude Code's settings tells of a call by a name of its own (`pre_tool`): guards must see it.
fn is_before_a_tool(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    (name.starts_with("pre") || name.starts_with("before")) && name.contains("tool")
}

/// What failed. `error` is a text where a tool failed and a code where the agent itself did.
fn error(kind: &EventKind, wire: &PayloadWire<'_>) -> Option<EventError> {
    match kind {
        EventKind::ToolError => Some(EventError {
            kind: (wire.is_interrupt == Some(true)).then(|| "interrupt".to_owned()),
            message: wire.error.unwrap_or_default().to_owned(),
        }),
        // Without details, the last message is the error as the user was shown it.
        EventKind::ErrorOrchestrator => Some(EventError {
            kind: wire.error.map(str::to_owned),
            message: wire.error_details.or(wire.last_assistant_message).unwrap_or_default().to_owned(),
        }),
        _ => None,
    }
}

fn tool(name: &str, event: &EventKind, wire: &PayloadWire<'_>) -> ToolCall {
    let kind = tools::kind(name);
    let output = wire.tool_response;
    let stream = |key: &str| output?.get(key)?.as_str().map(str::to_owned);
    ToolCall {
        output: output.cloned(),
        stdout: stream("stdout"),
        stderr: stream("stderr"),
        exit_code: match (kind, event) {
            (ToolKind::Shell, EventKind::ToolPost) => tools::exit_code_of_success(output),
            (ToolKind::Shell, EventKind::ToolError) => wire.error.and_then(tools::exit_code_of_failure),
            _ => None,
        },
        call_id: wire.tool_use_id.map(str::to_owned),
        ..ToolCall::new(name, kind, door::input(wire.tool_input))
    }
}
