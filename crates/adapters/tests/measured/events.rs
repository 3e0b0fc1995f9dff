//! Payloads become events.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tenter_contract::EventKind;
use tenter_contract::ports::DecodeError;

use super::{decode_json, event};

/// Recorded payloads by agent: the name of the row, and the file.
const RECORDED: &[(&str, &[(&str, &str)])] = &[
    (
        "claude",
        &[
            ("session_start", "SessionStart.resume"),
            ("session_end", "SessionEnd"),
            ("prompt_submit", "UserPromptSubmit"),
            ("tool_pre_in_subagent", "PreToolUse.Bash-subagent"),
            ("tool_pre_edit", "PreToolUse.Edit"),
            ("tool_post", "PostToolUse.Bash"),
            ("tool_post_mcp", "PostToolUse.mcp__elic__askname"),
            ("tool_error", "PostToolUseFailure"),
            ("permission_request", "PermissionRequest"),
            ("subagent_stop", "SubagentStop"),
            ("stop_failure", "StopFailure"),
            ("notification", "Notification.permission_prompt"),
            ("post_compact", "PostCompact"),
            ("file_changed", "FileChanged"),
        ],
    ),
    (
        "cline",
        &[
            ("task_start", "TaskStart"),
            ("task_resume", "TaskResume"),
            ("prompt_submit", "UserPromptSubmit"),
            ("tool_pre", "PreToolUse.run_commands"),
            ("tool_pre_editor", "PreToolUse"),
            ("tool_pre_spawn_agent", "PreToolUse.spawn_agent"),
            ("tool_pre_subagent", "PreToolUse.run_commands-subagent"),
            ("tool_post", "PostToolUse.run_commands"),
            ("tool_post_failed", "PostToolUse.run_commands-failed"),
            ("task_complete", "TaskComplete"),
            ("task_cancel", "TaskCancel"),
            ("task_error", "TaskError"),
            ("session_shutdown", "SessionShutdown"),
            ("subagent_start", "TaskStart.subagent"),
            ("subagent_stop", "SessionShutdown.subagent"),
        ],
    ),
    (
        "codex",
        &[
            ("session_start", "SessionStart.compact"),
            ("session_end", "SessionEnd"),
            ("prompt", "UserPromptSubmit"),
            ("prompt_subagent", "UserPromptSubmit.subagent"),
            ("tool_pre", "PreToolUse.Bash"),
            ("tool_pre_patch", "PreToolUse"),
            ("tool_pre_subagent", "PreToolUse.Bash-subagent"),
            ("tool_pre_spawn", "PreToolUse.spawn_agent"),
            ("tool_post", "PostToolUse.Bash-failed"),
            ("tool_post_patch", "PostToolUse"),
            ("permission_request", "PermissionRequest"),
            ("pre_model", "PreModelRequest"),
            ("pre_compact", "PreCompact"),
            ("post_compact", "PostCompact"),
            ("stop", "Stop"),
            ("subagent_start", "SubagentStart"),
            ("subagent_stop", "SubagentStop"),
            ("interrupt", "Interrupt"),
        ],
    ),
    (
        "copilot",
        &[
            ("session_start", "sessionStart"),
            ("session_end", "sessionEnd"),
            ("prompt", "userPromptSubmitted"),
            ("prompt_subagent", "userPromptSubmitted.subagent"),
            ("tool_pre", "preToolUse.bash"),
            ("tool_pre_create", "preToolUse"),
            ("tool_pre_edit", "preToolUse.edit"),
            ("tool_pre_patch", "preToolUse.apply_patch"),
            ("tool_pre_subagent", "preToolUse.bash-subagent"),
            ("tool_post_failed", "postToolUse.bash-failed"),
            ("tool_error", "postToolUseFailure"),
            ("permission_request", "permissionRequest"),
            ("notification", "notification"),
            ("error", "errorOccurred"),
            ("stop", "agentStop"),
            ("stop_subagent", "agentStop.subagent"),
            ("subagent_start", "subagentStart"),
            ("subagent_stop", "subagentStop"),
        ],
    ),
    (
        "gemini",
        &[
            ("session_start", "SessionStart.resume"),
            ("session_end", "SessionEnd"),
            ("before_agent", "BeforeAgent"),
            ("before_tool", "BeforeTool.run_shell_command"),
            ("before_tool_write", "BeforeTool"),
            ("before_tool_replace", "BeforeTool.replace"),
            ("before_tool_read", "BeforeTool.read_file"),
            ("after_tool", "AfterTool.run_shell_command"),
            ("after_tool_failed", "AfterTool.run_shell_command-failed"),
            ("after_agent", "AfterAgent"),
            ("before_model", "BeforeModel"),
            ("after_model", "AfterModel"),
            ("before_tool_selection", "BeforeToolSelection"),
            ("pre_compress", "PreCompress.manual"),
            ("notification", "Notification"),
        ],
    ),
    (
        "opencode",
        &[
            ("session_start", "session-created"),
            ("session_start_compact", "session-created-after-compaction"),
            ("session_end", "session-deleted"),
            ("prompt", "chat-message"),
            ("tool_pre", "tool-execute-before.bash"),
            ("tool_pre_write", "tool-execute-before.write"),
            ("tool_pre_mcp", "tool-execute-before.mcp"),
            ("tool_pre_subagent", "tool-execute-before.bash.subagent"),
            ("tool_post", "tool-execute-after.bash"),
            ("tool_post_mcp", "tool-execute-after.mcp"),
            ("tool_error", "tool-execute-failed.read"),
            ("permission_request", "permission-asked.bash"),
            ("subagent_start", "subagent-created"),
            ("subagent_stop", "subagent-idle"),
            ("stop", "session-idle"),
            ("error", "session-error"),
        ],
    ),
    (
        "qwen",
        &[
            ("session_start", "SessionStart"),
            ("session_end", "SessionEnd"),
            ("prompt_submit", "UserPromptSubmit"),
            ("tool_pre", "PreToolUse.run_shell_command"),
            ("tool_pre_write", "PreToolUse"),
            ("tool_pre_edit", "PreToolUse.edit"),
            ("tool_pre_agent", "PreToolUse.agent"),
            ("permission_request", "PermissionRequest"),
            ("tool_post", "PostToolUse.run_shell_command"),
            ("tool_post_failed", "PostToolUse.run_shell_command-failed"),
            ("tool_error", "PostToolUseFailure"),
            ("subagent_start", "SubagentStart"),
            ("subagent_stop", "SubagentStop"),
            ("pre_compact", "PreCompact"),
            ("notification", "Notification.permission_prompt"),
            ("stop", "Stop"),
        ],
    ),
];

/// The event without its payload and without absent fields.
fn shown(agent: &str, file: &str) -> String {
    let mut event = event(agent, file).as_ref().clone();
    event.raw = Value::Null;
    let all = format!("{event:#?}");
    let is_present =
        |line: &&str| [": None,", ": [],", ": {},", "raw: Null,"].iter().all(|end| !line.ends_with(end));
    all.lines().filter(is_present).collect::<Vec<_>>().join("\n")
}

#[test]
fn recorded_payloads_become_events() {
    for (agent, rows) in RECORDED {
        let mut all = String::new();
        for (name, file) in *rows {
            writeln!(all, "# {name}\n{}\n", shown(agent, file)).unwrap();
        }
        insta::assert_snapshot!(format!("events_{agent}"), all);
    }
}

#[test]
fn new_names_are_observed() {
    let long = "x".repeat(500);
    for (agent, name, expected) in [
        ("claude", "SomethingNew", "claude:SomethingNew".to_owned()),
        ("claude", "a b/\u{202e}é\n", "claude:a_b____".to_owned()),
        ("claude", &long, format!("claude:{}", "x".repeat(80))),
        ("cline", "tool_progress", "cline:tool_progress".to_owned()),
        ("cline", "Something:New", "cline:Something_New".to_owned()),
        ("codex", "Something:New", "codex:Something_New".to_owned()),
        ("gemini", "Something:New", "gemini:Something_New".to_owned()),
        ("qwen", "TodoCreated", "qwen:TodoCreated".to_owned()),
        ("qwen", "Something:New", "qwen:Something_New".to_owned()),
    ] {
        let key = if agent == "cline" { "hookName" } else { "hook_event_name" };
        let event = decode_json(agent, &json!({key: name})).unwrap();
        assert_eq!(event.kind, EventKind::Other(expected), "{agent}: {name}");
        assert_eq!(EventKind::parse(event.kind.as_str()), Some(event.kind.clone()), "a hook can name it");
    }
}

#[test]
fn names_of_other_agents_are_refused() {
    for (agent, names) in [
        ("claude", &["preToolUse", "tool:pre", "HookFailed", "BeforeTool"][..]),
        ("cline", &["BeforeTool", "tool:pre", "Stop", "HookFailed"]),
        (
            "codex",
            &["preToolUse", "BeforeTool", "Notification", "PostToolUseFailure", "tool:pre", "HookFailed"],
        ),
        ("copilot", &["BeforeTool", "tool:pre", "HookFailed", "PostCompact"]),
        ("gemini", &["beforeTool", "PreToolUse", "Stop", "tool:pre", "HookFailed"]),
        ("opencode", &["BeforeTool", "tool:pre", "PreToolUse", "chat_message"]),
        ("qwen", &["preToolUse", "BeforeTool", "tool:pre", "HookFailed"]),
    ] {
        for name in names {
            let key = if agent == "cline" { "hookName" } else { "hook_event_name" };
            let refused = decode_json(agent, &json!({key: name})).unwrap_err();
            assert_eq!(refused, DecodeError::OtherAgent { event: (*name).to_owned() }, "{agent}");
        }
    }
}

/// A guard would not run for a payload without an event or for a call without a name.
#[test]
fn payloads_without_a_name_are_refused() {
    let event = |name: &str| json!({"hook_event_name": name});
    let call = |name: &str, tool: Value| json!({"hook_event_name": name, "tool_name": tool});
    let cline = |call: Value| json!({"hookName": "tool_call", "tool_call": call});
    for (agent, payload, field) in [
        ("claude", json!({}), "hook_event_name"),
        ("claude", json!({"hook_event_name": 7}), "hook_event_name"),
        ("claude", json!({"hook_event_name": null}), "hook_event_name"),
        ("claude", event(""), "hook_event_name"),
        ("claude", event("PreToolUse"), "tool_name"),
        ("claude", call("PreToolUse", json!(["Bash"])), "tool_name"),
        ("claude", call("PermissionRequest", json!("")), "tool_name"),
        ("cline", json!({"taskId": "t"}), "hookName"),
        ("cline", json!({"hookName": "tool_call"}), "tool_call"),
        ("cline", cline(json!({})), "tool_call"),
        ("cline", cline(json!({"name": ""})), "tool_call"),
        ("cline", cline(json!(7)), "tool_call"),
        ("codex", json!({}), "hook_event_name"),
        ("codex", json!({"hook_event_name": 7}), "hook_event_name"),
        ("codex", event(""), "hook_event_name"),
        ("codex", event("PreToolUse"), "tool_name"),
        ("codex", call("PreToolUse", json!(["Bash"])), "tool_name"),
        ("codex", call("PermissionRequest", json!("")), "tool_name"),
        ("copilot", json!({}), "hook_event_name"),
        ("copilot", json!({"sessionId": "s"}), "hook_event_name"),
        ("copilot", json!({"prompt": "p"}), "hook_event_name"),
        ("copilot", json!({"hook_event_name": 7, "toolName": "bash", "sessionId": "s"}), "hook_event_name"),
        ("copilot", event("PreToolUse"), "tool_name"),
        ("copilot", call("PreToolUse", json!(["bash"])), "tool_name"),
        ("copilot", json!({"hookName": "permissionRequest", "sessionId": "s"}), "tool_name"),
        ("gemini", json!({}), "hook_event_name"),
        ("gemini", json!({"hook_event_name": 7}), "hook_event_name"),
        ("gemini", event(""), "hook_event_name"),
        ("gemini", event("BeforeTool"), "tool_name"),
        ("gemini", call("BeforeTool", json!(["glob"])), "tool_name"),
        ("gemini", call("BeforeTool", json!("")), "tool_name"),
        ("opencode", json!({}), "hook_event_name"),
        ("opencode", json!({"plugin": "opencode"}), "hook_event_name"),
        ("opencode", json!({"hook_event_name": 7}), "hook_event_name"),
        ("opencode", event("tool.execute.before"), "tool"),
        ("opencode", json!({"hook_event_name": "permission.asked", "tool": ["bash"]}), "tool"),
        ("qwen", event("PreToolUse"), "tool_name"),
        ("qwen", event("PermissionRequest"), "tool_name"),
    ] {
        assert_eq!(decode_json(agent, &payload), Err(DecodeError::BadField { field }), "{agent}: {payload}");
    }
}

#[test]
fn fields_of_another_type_hide_no_call() {
    for (agent, payload) in [
        (
            "claude",
            json!({
                "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"},
                "session_id": 7, "cwd": ["/"], "prompt_id": {}, "agent_id": false, "agent_type": 1, "source": 1,
                "reason": {}, "prompt": [], "message": 1, "error": {}, "is_interrupt": "yes", "duration_ms": "12",
                "file_path": 3, "tool_use_id": 9, "tool_response": 5,
            }),
        ),
        (
            "codex",
            json!({
                "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"},
                "session_id": 7, "cwd": ["/"], "turn_id": {}, "agent_id": 1, "source": 1, "trigger": {},
                "reason": {}, "prompt": [], "tool_response": 5, "tool_use_id": 3, "last_assistant_message": null,
            }),
        ),
        (
            "copilot",
            json!({
                "sessionId": 7, "timestamp": {}, "toolName": "bash", "toolArgs": {"command": "rm -rf /"},
                "cwd": ["/"], "agentId": 1, "source": 1, "reason": {}, "prompt": [], "message": 1,
            }),
        ),
        (
            "gemini",
            json!({
                "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
                "tool_input": {"command": "rm -rf /"}, "session_id": 7, "cwd": ["/"], "source": 1, "trigger": {},
                "reason": {}, "prompt": [], "message": 1, "tool_response": 5, "mcp_context": "x",
                "llm_response": [],
            }),
        ),
        (
            "opencode",
            json!({
                "hook_event_name": "tool.execute.before", "session_id": 7, "tool": "bash",
                "args": {"command": "rm -rf /"}, "cwd": ["/"], "agent_id": 1, "attended": "no", "files": "a",
                "mcp_server": {}, "exit_code": "0",
            }),
        ),
        (
            "qwen",
            json!({
                "hook_event_name": "PreToolUse", "tool_name": "run_shell_command",
                "tool_input": {"command": "rm -rf /"}, "session_id": 7, "cwd": [], "tool_use_id": {},
            }),
        ),
    ] {
        let event = decode_json(agent, &payload).unwrap();
        assert_eq!((event.session, event.kind), (None, EventKind::ToolPre), "{agent}");
        assert_eq!(event.cwd, None, "{agent}");
        let tool = event.tool.unwrap();
        assert_eq!((tool.command.as_deref(), tool.call_id), (Some("rm -rf /"), None), "{agent}");
    }
}
