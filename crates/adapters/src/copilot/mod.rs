//! GitHub Copilot CLI, with both spellings of its events, as measured on version 1.0.102.

mod decode;
mod encode;
mod capabilities;
mod tools;

use serde_json::{Map, Value, json};
use tenter_contract::ports::{Claim, Reading, ReadsToo, Scope};
use tenter_contract::{AgentName, EventKind};

use crate::agent_spec::{AgentSpec, FieldNames, guarded, has_any_key, observed, watched};
use crate::installer::{DenyIfGone, Installer, Layout, home, in_project, switch_warning};

pub(crate) static COPILOT: AgentSpec = AgentSpec {
    name: "copilot",
    // Copilot sets both; the first is its own.
    project_variables: &["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    marks: &["COPILOT_CLI", "COPILOT_HOOK_DIR"],
    // Installed in Pascal case, because only then payloads name their event. Without a timeout in the entry Copilot waits
    // 30 s. A call of an MCP server comes at `preToolUse` too.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 600).also("sessionStart"),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 60).also("userPromptSubmitted"),
        guarded("PreToolUse", EventKind::ToolPre, 600).also("preToolUse"),
        guarded("PermissionRequest", EventKind::PermissionRequest, 600).also("permissionRequest"),
        watched("PostToolUse", EventKind::ToolPost, 600).also("postToolUse"),
        watched("PostToolUseFailure", EventKind::ToolError, 600).also("postToolUseFailure"),
        watched("SubagentStart", EventKind::SubagentStart, 600).also("subagentStart"),
        watched("SubagentStop", EventKind::SubagentComplete, 600).also("subagentStop"),
        watched("PreCompact", EventKind::ContextPreCompact, 600).also("preCompact"),
        watched("Notification", EventKind::UserNotification, 600).also("notification"),
        watched("Stop", EventKind::OrchestratorComplete, 600).also("agentStop"),
        watched("ErrorOccurred", EventKind::ErrorOrchestrator, 600).also("errorOccurred"),
        watched("SessionEnd", EventKind::SessionEnd, 5).also("sessionEnd"),
        observed("UserPromptTransformed", None).also("userPromptTransformed"),
        observed("PreMcpToolCall", None).also("preMcpToolCall"),
    ],
    unnamed_event: decode::unnamed_event,
    // A key counts in either spelling: at the start of a sub-agent they are mixed.
    fields: FieldNames {
        session: &["sessionId", "session_id"],
        agent_id: &["agentId", "agent_id"],
        agent_type: &["agentType", "agent_type", "agentName", "agent_name"],
        source: &["source", "trigger", "notificationType", "notification_type"],
        message: &["message", "last_assistant_message", "response"],
        tool_name: &["toolName", "tool_name"],
        tool_input: &["toolArgs", "tool_input", "toolInput"],
        tool_output: &["toolResult", "tool_result"],
        call_id: &[],
        ..FieldNames::CLAUDE
    },
    tools: &tools::TOOLS,
    call: tools::call,
    complete: decode::complete,
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    refusal: encode::refusal,
    // It reads every file of a folder, so tenter has one of its own there. VS Code reads the same folders.
    installer: Installer {
        title: "Copilot CLI",
        package: Some("@github/copilot"),
        user: home("COPILOT_HOME", ".copilot", "hooks/tenter.json"),
        project: in_project(".github/hooks/tenter.json"),
        // A prompt passes at any exit code, and before a tool the text on standard error is lost. Calls have no id, and
        // the entries of the user and of the repository both run.
        format: &Layout {
            deny_if_gone: DenyIfGone::Answer(deny),
            names_scope: true,
            warnings: |_, settings| {
                let off = switch_warning(settings, "/disableAllHooks", true, "Copilot runs no hook of it");
                off.into_iter().collect()
            },
            ..Layout::CLAUDE
        },
        // Those of the repository, in a folder that it trusts.
        reads_too: &[ReadsToo {
            agent: AgentName::from_static("claude"),
            scopes: &[Scope::Project, Scope::Local],
            reading: Reading::Sometimes,
        }],
        ..Installer::NONE
    },
    ..AgentSpec::MEASURED
};

/// In camel case it sends a `sessionId` and the time as a number, which no other agent does. In Pascal case only some
/// payloads have a key of their own; the others look like Claude Code's with a time, and without the transcript that
/// Qwen Code sends.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign =
        "permission_mode prompt_id turn_id conversation_id cursor_version clineVersion taskId tool_use_id";
    if has_any_key(payload, foreign) {
        return Claim::NotMine;
    }
    if has("sessionId") && payload.get("timestamp").is_some_and(Value::is_number) {
        return Claim::Mine;
    }
    if COPILOT.possible_event(payload, "").is_none() {
        return Claim::NotMine;
    }
    let has_own_key = has_any_key(payload, "tool_result initial_prompt stop_reason parent_agent_id");
    match (has("timestamp"), has_own_key) {
        (true, true) => Claim::Mine,
        (true, false) if !has("transcript_path") => Claim::CannotTell,
        (true | false, _) => Claim::NotMine,
    }
}

/// A deny in Copilot and in VS Code: before a tool both read the same, at a prompt each has keys of its own, and only
/// Copilot has a permission request.
fn deny(event: &str, reason: &str) -> Value {
    match event {
        "PreToolUse" => json!({"hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}),
        "PermissionRequest" => json!({"behavior": "deny", "message": reason}),
        _ => json!({"decision": "block", "reason": reason, "continue": false, "stopReason": reason}),
    }
}
