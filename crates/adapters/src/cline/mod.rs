//! Cline on the command line, as measured on version 3.0.65. Its extension for editors is documented and was not
//! measured.

mod decode;
mod encode;
mod capabilities;
mod tools;
mod list_inputs;
mod hook_scripts;

use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::Claim;

use crate::agent_spec::{AgentSpec, FieldNames, guarded, observed, received, watched};
use crate::installer::{Installer, home, in_project};

pub(crate) static CLINE: AgentSpec = AgentSpec {
    name: "cline",
    // By the names of the extension, which are also those of the scripts. The command line sends the other names. Cline
    // waits 120 s around a tool, and has no setting for it.
    events: &[
        watched("TaskStart", EventKind::SessionStart, 120).also("agent_start"),
        watched("TaskResume", EventKind::SessionStart, 120).also("agent_resume"),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 120).also("prompt_submit"),
        guarded("PreToolUse", EventKind::ToolPre, 120).also("tool_call"),
        watched("PostToolUse", EventKind::ToolPost, 120).also("tool_result"),
        watched("TaskComplete", EventKind::OrchestratorComplete, 120).also("agent_end"),
        watched("TaskError", EventKind::ErrorOrchestrator, 120).also("agent_error"),
        observed("TaskCancel", Some(120)).also("agent_abort"),
        watched("SessionShutdown", EventKind::SessionEnd, 120).also("session_shutdown"),
        // No version has sent these two.
        received("PreCompact", EventKind::ContextPreCompact).also("pre_compact"),
        received("Notification", EventKind::UserNotification).also("notification"),
    ],
    event_key: "hookName",
    fields: FieldNames {
        // The session that the user sees; a sub-agent has a task of its own in it.
        session: &["/sessionContext/rootSessionId", "taskId"],
        cwd: &["/workspaceRoots/0", "/workspaceInfo/rootPath"],
        reason: &["reason"],
        prompt: &["/userPromptSubmit/prompt"],
        message: &["/turn/outputText"],
        ..FieldNames::NONE
    },
    tools: &tools::TOOLS,
    call_field: "tool_call",
    call: decode::call,
    complete: decode::complete,
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    // It reads no exit code.
    refusal: encode::refusal,
    installer: Installer {
        title: "Cline",
        package: Some("cline"),
        user: home("CLINE_DIR", ".cline", "hooks"),
        project: in_project(".cline/hooks"),
        format: &hook_scripts::HookScripts,
        becomes_too: &[EventKind::ToolError, EventKind::SubagentStart, EventKind::SubagentComplete],
        ..Installer::NONE
    },
    ..AgentSpec::MEASURED
};

/// Every payload has its version and a task, and no other agent's has. A payload by hand may have only the event.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    match (has("hookName") && !has("hook_event_name"), has("clineVersion") || has("taskId")) {
        (true, true) => Claim::Mine,
        (true, false) if !has("sessionId") => Claim::CannotTell,
        (true | false, _) => Claim::NotMine,
    }
}
