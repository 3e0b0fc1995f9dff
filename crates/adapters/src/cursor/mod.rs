//! Cursor, the editor and its command line. Read in the hook engine of its SDK 1.0.32 and in its documents; not measured.

mod tools;
mod capabilities;
mod encode;
mod install;

use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::Claim;

use crate::agent_spec::{AgentSpec, guarded, received, watched};

const EVENT_KEY: &str = "hook_event_name";

pub(crate) static CURSOR: AgentSpec = AgentSpec {
    name: "cursor",
    project_variables: &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    marks: &["CURSOR_VERSION", "CURSOR_PROJECT_DIR"],
    // One unknown event and Cursor drops the whole file, so tenter is installed at those that its engine has had for
    // longest. The events of shell, MCP and file calls repeat the general ones. Names in Pascal case come from hooks of
    // Claude Code's settings.
    events: &[
        watched("sessionStart", EventKind::SessionStart, 600).also("SessionStart"),
        guarded("beforeSubmitPrompt", EventKind::PromptSubmit, 60).also("UserPromptSubmit"),
        guarded("preToolUse", EventKind::ToolPre, 600)
            .also("beforeShellExecution beforeMCPExecution beforeReadFile PreToolUse"),
        watched("postToolUse", EventKind::ToolPost, 600)
            .also("afterShellExecution afterMCPExecution afterFileEdit PostToolUse"),
        watched("postToolUseFailure", EventKind::ToolError, 600).also("PostToolUseFailure"),
        watched("subagentStart", EventKind::SubagentStart, 600).also("SubagentStart"),
        watched("subagentStop", EventKind::SubagentComplete, 600).also("SubagentStop"),
        watched("preCompact", EventKind::ContextPreCompact, 600).also("PreCompact"),
        watched("stop", EventKind::OrchestratorComplete, 600).also("Stop"),
        watched("sessionEnd", EventKind::SessionEnd, 5).also("SessionEnd"),
        received("afterAgentResponse", EventKind::ProviderResponse),
    ],
    tools: &tools::TOOLS,
    call: tools::call,
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    // Some builds block on silence.
    silence: "{}",
    installer: install::INSTALLER,
    ..AgentSpec::DOCUMENTED
};

/// Every payload has the version of Cursor and a generation; no other agent's has.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let named = payload.get(EVENT_KEY).is_some_and(Value::is_string);
    match (has("cursor_version") || has("generation_id"), named) {
        (true, _) => Claim::Mine,
        (false, true) if has("conversation_id") && !has("is_mcp_tool") => Claim::CannotTell,
        (false, _) => Claim::NotMine,
    }
}
