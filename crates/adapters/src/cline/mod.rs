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

use crate::agent_spec::{AgentEvent, AgentSpec, FieldNames, guarded, observed, received, watched};
use crate::installer::{Installer, home, in_project};

pub(crate) static CLINE: AgentSpec = AgentSpec {
    name: "cline",
    // The command line and the extension use different names. That of the extension is also the file that is run. Cline
    // waits 120 s around a tool, and has no setting for it.
    events: &[
        watched("TaskStart", EventKind::SessionStart, 120),
        watched("TaskResume", EventKind::SessionStart, 120),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 120),
        guarded("PreToolUse", EventKind::ToolPre, 120),
        watched("PostToolUse", EventKind::ToolPost, 120),
        watched("TaskComplete", EventKind::OrchestratorComplete, 120),
        watched("TaskError", EventKind::ErrorOrchestrator, 120),
        AgentEvent::installed("TaskCancel", 120),
        watched("SessionShutdown", EventKind::SessionEnd, 120),
        // No version has sent these two.
        received("PreCompact", EventKind::ContextPreCompact),
        received("Notification", EventKind::UserNotification),
        received("agent_start", EventKind::SessionStart),
        received("agent_resume", EventKind::SessionStart),
        received("prompt_submit", EventKind::PromptSubmit),
        received("tool_call", EventKind::ToolPre),
        received("tool_result", EventKind::ToolPost),
        received("agent_end", EventKind::OrchestratorComplete),
        received("agent_error", EventKind::ErrorOrchestrator),
        observed("agent_abort", "TaskCancel"),
        received("session_shutdown", EventKind::SessionEnd),
        received("pre_compact", EventKind::ContextPreCompact),
        received("notification", EventKind::UserNotification),
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
