//! Names of events become our kinds.

use serde_json::{Value, json};
use tenter_contract::{EventKind, event_names};

use super::decode_json;

/// Every name of an agent's events, and ours.
const NAMES: &[(&str, &[(&str, &str)])] = &[
    (
        "claude",
        &[
            ("PreToolUse", "tool:pre"),
            ("PostToolUse", "tool:post"),
            ("PostToolUseFailure", "tool:error"),
            ("PostToolBatch", "claude:PostToolBatch"),
            ("PermissionRequest", "permission:request"),
            ("PermissionDenied", "claude:PermissionDenied"),
            ("UserPromptSubmit", "prompt:submit"),
            ("UserPromptExpansion", "claude:UserPromptExpansion"),
            ("SessionStart", "session:start"),
            ("SessionEnd", "session:end"),
            ("Setup", "claude:Setup"),
            ("Stop", "orchestrator:complete"),
            ("StopFailure", "error:orchestrator"),
            ("SubagentStart", "subagent:start"),
            ("SubagentStop", "subagent:complete"),
            ("PreCompact", "context:pre_compact"),
            ("PostCompact", "context:post_compact"),
            ("PreModelSwitch", "claude:PreModelSwitch"),
            ("PostModelSwitch", "claude:PostModelSwitch"),
            ("Notification", "user:notification"),
            ("Elicitation", "claude:Elicitation"),
            ("ElicitationResult", "claude:ElicitationResult"),
            ("TeammateIdle", "claude:TeammateIdle"),
            ("TaskCreated", "claude:TaskCreated"),
            ("TaskCompleted", "claude:TaskCompleted"),
            ("ConfigChange", "claude:ConfigChange"),
            ("InstructionsLoaded", "claude:InstructionsLoaded"),
            ("CwdChanged", "claude:CwdChanged"),
            ("FileChanged", "claude:FileChanged"),
            ("DirectoryAdded", "claude:DirectoryAdded"),
            ("WorktreeCreate", "claude:WorktreeCreate"),
            ("WorktreeRemove", "claude:WorktreeRemove"),
            ("MessageDisplay", "claude:MessageDisplay"),
        ],
    ),
    (
        "cline",
        &[
            ("agent_start", "session:start"),
            ("TaskStart", "session:start"),
            ("agent_resume", "session:start"),
            ("TaskResume", "session:start"),
            ("prompt_submit", "prompt:submit"),
            ("UserPromptSubmit", "prompt:submit"),
            ("tool_call", "tool:pre"),
            ("PreToolUse", "tool:pre"),
            ("tool_result", "tool:post"),
            ("PostToolUse", "tool:post"),
            ("agent_end", "orchestrator:complete"),
            ("TaskComplete", "orchestrator:complete"),
            ("agent_error", "error:orchestrator"),
            ("TaskError", "error:orchestrator"),
            ("agent_abort", "cline:TaskCancel"),
            ("TaskCancel", "cline:TaskCancel"),
            ("session_shutdown", "session:end"),
            ("SessionShutdown", "session:end"),
            ("pre_compact", "context:pre_compact"),
            ("PreCompact", "context:pre_compact"),
            ("notification", "user:notification"),
            ("Notification", "user:notification"),
        ],
    ),
    (
        "codex",
        &[
            ("SessionStart", "session:start"),
            ("SessionEnd", "session:end"),
            ("UserPromptSubmit", "prompt:submit"),
            ("PreToolUse", "tool:pre"),
            ("PostToolUse", "tool:post"),
            ("PermissionRequest", "permission:request"),
            ("PreModelRequest", "provider:request"),
            ("PostModelRequest", "provider:response"),
            ("PreCompact", "context:pre_compact"),
            ("PostCompact", "context:post_compact"),
            ("Stop", "orchestrator:complete"),
            ("SubagentStart", "subagent:start"),
            ("SubagentStop", "subagent:complete"),
            ("Interrupt", "codex:Interrupt"),
        ],
    ),
    (
        "copilot",
        &[
            ("sessionStart", "session:start"),
            ("SessionStart", "session:start"),
            ("sessionEnd", "session:end"),
            ("SessionEnd", "session:end"),
            ("userPromptSubmitted", "prompt:submit"),
            ("UserPromptSubmit", "prompt:submit"),
            ("preToolUse", "tool:pre"),
            ("PreToolUse", "tool:pre"),
            ("permissionRequest", "permission:request"),
            ("PermissionRequest", "permission:request"),
            ("postToolUse", "tool:post"),
            ("PostToolUse", "tool:post"),
            ("postToolUseFailure", "tool:error"),
            ("PostToolUseFailure", "tool:error"),
            ("agentStop", "orchestrator:complete"),
            ("Stop", "orchestrator:complete"),
            ("subagentStart", "subagent:start"),
            ("SubagentStart", "subagent:start"),
            ("subagentStop", "subagent:complete"),
            ("SubagentStop", "subagent:complete"),
            ("preCompact", "context:pre_compact"),
            ("PreCompact", "context:pre_compact"),
            ("errorOccurred", "error:orchestrator"),
            ("ErrorOccurred", "error:orchestrator"),
            ("notification", "user:notification"),
            ("Notification", "user:notification"),
            ("preMcpToolCall", "copilot:PreMcpToolCall"),
            ("PreMcpToolCall", "copilot:PreMcpToolCall"),
            ("userPromptTransformed", "copilot:UserPromptTransformed"),
            ("UserPromptTransformed", "copilot:UserPromptTransformed"),
        ],
    ),
    (
        "gemini",
        &[
            ("SessionStart", "session:start"),
            ("SessionEnd", "session:end"),
            ("BeforeAgent", "prompt:submit"),
            ("AfterAgent", "orchestrator:complete"),
            ("BeforeTool", "tool:pre"),
            ("AfterTool", "tool:post"),
            ("BeforeModel", "provider:request"),
            ("AfterModel", "provider:response"),
            ("BeforeToolSelection", "decision:tool_resolution"),
            ("PreCompress", "context:pre_compact"),
            ("Notification", "user:notification"),
        ],
    ),
    (
        "opencode",
        &[
            ("session.created", "session:start"),
            ("session.deleted", "session:end"),
            ("chat.message", "prompt:submit"),
            ("tool.execute.before", "tool:pre"),
            ("permission.asked", "permission:request"),
            ("tool.execute.after", "tool:post"),
            ("tool.execute.failed", "tool:error"),
            ("subagent.created", "subagent:start"),
            ("subagent.idle", "subagent:complete"),
            ("experimental.session.compacting", "context:pre_compact"),
            ("session.compacted", "context:post_compact"),
            ("session.idle", "orchestrator:complete"),
            ("session.error", "error:orchestrator"),
        ],
    ),
    (
        "qwen",
        &[
            ("SessionStart", "session:start"),
            ("SessionEnd", "session:end"),
            ("UserPromptSubmit", "prompt:submit"),
            ("PreToolUse", "tool:pre"),
            ("PermissionRequest", "permission:request"),
            ("PostToolUse", "tool:post"),
            ("PostToolUseFailure", "tool:error"),
            ("SubagentStart", "subagent:start"),
            ("SubagentStop", "subagent:complete"),
            ("PreCompact", "context:pre_compact"),
            ("PostCompact", "context:post_compact"),
            ("Notification", "user:notification"),
            ("Stop", "orchestrator:complete"),
            ("StopFailure", "error:orchestrator"),
        ],
    ),
];

/// A payload of this event with a harmless tool.
fn payload(agent: &str, name: &str) -> Value {
    match agent {
        "cline" => json!({"hookName": name, "preToolUse": {"toolName": "skills"}}),
        "opencode" => json!({"hook_event_name": name, "tool": "bash"}),
        "gemini" | "qwen" => json!({"hook_event_name": name, "tool_name": "glob"}),
        "copilot" => json!({"hook_event_name": name, "tool_name": "bash"}),
        _ => json!({"hook_event_name": name, "tool_name": "Bash"}),
    }
}

#[test]
fn every_event_name_has_its_kind() {
    for (agent, names) in NAMES {
        for (name, expected) in *names {
            let payload = payload(agent, name);
            let event = decode_json(agent, &payload).unwrap();
            assert_eq!(event.kind.as_str(), *expected, "{agent}: {name}");
            assert_eq!(event.raw, payload);
            if *agent == "claude" {
                assert_eq!(event.kind.claude_name(), *name, "unchanged scripts read the name they know");
            }
            let known = match event_names::find(name) {
                Some(row) if !expected.starts_with(agent) => row.kind.clone(),
                _ => event_names::observed(expected)
                    .unwrap_or_else(|| EventKind::Other((*expected).to_owned())),
            };
            assert_eq!(known, event.kind, "{agent}: {name} in the event table");
        }
    }
}
