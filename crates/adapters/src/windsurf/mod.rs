//! Windsurf's Cascade, called Devin Desktop since June 2026. Read in its documents; not measured.

use serde_json::Value;
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, EventKind, Support, ToolCall, ToolKind};

use crate::agent_spec::{AgentSpec, FieldNames, NOTHING_EVER, Payload, Tools, guarded, watched};
use crate::installer::{Installer, Layout, home, in_project};
use crate::payload;

const EVENT_KEY: &str = "agent_action_name";

/// It reads no JSON: an exit code denies.
pub(crate) static WINDSURF: AgentSpec = AgentSpec {
    name: "windsurf",
    // The event is the tool. Its timeout is not documented; a minute is more than a hook should need.
    events: &[
        guarded("pre_user_prompt", EventKind::PromptSubmit, 60),
        guarded("pre_read_code", EventKind::ToolPre, 60),
        guarded("pre_write_code", EventKind::ToolPre, 60),
        guarded("pre_run_command", EventKind::ToolPre, 60),
        guarded("pre_mcp_tool_use", EventKind::ToolPre, 60),
        watched("post_read_code", EventKind::ToolPost, 60),
        watched("post_write_code", EventKind::ToolPost, 60),
        watched("post_run_command", EventKind::ToolPost, 60),
        watched("post_mcp_tool_use", EventKind::ToolPost, 60),
        watched("post_cascade_response", EventKind::OrchestratorComplete, 60)
            .also("post_cascade_response_with_transcript"),
    ],
    event_key: EVENT_KEY,
    fields: FieldNames { nested_under: Some("tool_info"), ..FieldNames::DOCUMENTED },
    tools: &Tools {
        names: &[
            ("Bash", ToolKind::Shell, "run_command"),
            ("Edit", ToolKind::Edit, "write_code"),
            ("Read", ToolKind::Read, "read_code"),
        ],
        keys: &[("run_command", "command_line=command")],
        ..Tools::DOCUMENTED
    },
    call,
    // No other agent has this key.
    recognises: |payload| match payload.get(EVENT_KEY) {
        Some(Value::String(_)) => Claim::Mine,
        _ => Claim::NotMine,
    },
    // A deny before an action, and nothing else.
    capabilities: |event| match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => Capabilities { block: Support::Yes, ..NOTHING_EVER },
        EventKind::Other(_) => Capabilities::NOTHING,
        _ => NOTHING_EVER,
    },
    installer: Installer {
        title: "Windsurf",
        program: Some("windsurf"),
        user: home("", ".codeium/windsurf", "hooks.json"),
        project: in_project(".windsurf/hooks.json"),
        format: &Layout { timeout: None, ..Layout::FLAT },
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

/// The call of an event, from `tool_info`.
fn call(agent: &AgentSpec, payload: &Payload<'_>, event: &str) -> Option<ToolCall> {
    let (_, tool) = event.split_once('_').filter(|(when, _)| matches!(*when, "pre" | "post"))?;
    let info = payload::input_object(payload.top.get("tool_info"));
    let text = |key: &str| info.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match tool {
        "run_command" | "write_code" | "read_code" => Some(agent.tools.call(tool, None, info)),
        "mcp_tool_use" => {
            let server = text("mcp_server_name").unwrap_or_default();
            let input = payload::input_object(info.get("mcp_tool_arguments"));
            Some(agent.tools.call(text("mcp_tool_name")?, Some(server), input))
        }
        _ => None,
    }
}
