//! What Claude Code's payloads say beyond the table.

use serde_json::Value;
use tenter_contract::ports::Surroundings;
use tenter_contract::{Event, EventKind, ToolKind};

use super::{ATTENDED, ENTRYPOINT, tools};
use crate::agent_spec::{Payload, claude_error};

pub(super) fn complete(event: &mut Event, payload: &Payload<'_>, surroundings: &Surroundings) {
    if let EventKind::Other(name) = &event.kind
        && event.tool.is_some()
        && is_before_a_tool(name)
    {
        event.kind = EventKind::ToolPre;
    }
    event.attended = attended(surroundings);
    event.error = claude_error(event, payload);
    let Some(tool) = &mut event.tool else { return };
    let stream = |key: &str| tool.output.as_ref()?.get(key)?.as_str().map(str::to_owned);
    (tool.stdout, tool.stderr) = (stream("stdout"), stream("stderr"));
    tool.exit_code = match (tool.kind, &event.kind) {
        (ToolKind::Shell, EventKind::ToolPost) => tools::exit_code_of_success(tool.output.as_ref()),
        (ToolKind::Shell, EventKind::ToolError) => {
            payload.top.get("error").and_then(Value::as_str).and_then(tools::exit_code_of_failure)
        }
        _ => None,
    };
}

/// Whether a user watches, if the environment shows it. If not, an unanswered question is denied by Claude Code itself.
fn attended(surroundings: &Surroundings) -> Option<bool> {
    match (surroundings.variable(ATTENDED), surroundings.variable(ENTRYPOINT)) {
        (Some("0" | "false"), _) => Some(false),
        (Some(_), _) => Some(true),
        (None, Some(entry)) => Some(!entry.starts_with("sdk")),
        (None, None) => None,
    }
}

/// Whether an agent that reads Claude Code's settings names a call in its own way (`pre_tool`): guards must see it.
fn is_before_a_tool(kind: &str) -> bool {
    let name = kind.trim_start_matches("claude:").to_ascii_lowercase();
    (name.starts_with("pre") || name.starts_with("before")) && name.contains("tool")
}
