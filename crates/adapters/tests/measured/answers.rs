//! Outcomes become exact answers.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::{AgentOutcomeParts, AgentVerdict, Answer};

use super::cases::{answer, answers, cases};
use super::{adapter, event, fixture};

/// Recorded payloads by agent: the name of the row, and the file.
const RECORDED: &[(&str, &[(&str, &str)])] = &[
    (
        "claude",
        &[
            ("session_start", "SessionStart"),
            ("prompt_submit", "UserPromptSubmit"),
            ("tool_pre", "PreToolUse.Bash"),
            ("permission_request", "PermissionRequest"),
            ("tool_post", "PostToolUse.Bash"),
            ("tool_post_write", "PostToolUse"),
            ("tool_error", "PostToolUseFailure"),
            ("pre_compact", "PreCompact"),
            ("stop", "Stop"),
            ("subagent_start", "SubagentStart"),
            ("subagent_stop", "SubagentStop"),
            ("session_end", "SessionEnd"),
            ("worktree_create", "WorktreeCreate"),
        ],
    ),
    (
        "cline",
        &[
            ("task_start", "TaskStart"),
            ("prompt_submit", "UserPromptSubmit"),
            ("tool_pre", "PreToolUse.run_commands"),
            ("tool_pre_editor", "PreToolUse"),
            ("tool_post", "PostToolUse.run_commands"),
            ("task_complete", "TaskComplete"),
            ("task_error", "TaskError"),
            ("session_shutdown", "SessionShutdown"),
        ],
    ),
    (
        "codex",
        &[
            ("session_start", "SessionStart"),
            ("prompt", "UserPromptSubmit"),
            ("tool_pre", "PreToolUse.Bash"),
            ("tool_pre_patch", "PreToolUse"),
            ("tool_pre_spawn", "PreToolUse.spawn_agent"),
            ("tool_post", "PostToolUse.Bash"),
            ("permission_request", "PermissionRequest"),
            ("pre_model", "PreModelRequest"),
            ("pre_compact", "PreCompact"),
            ("post_compact", "PostCompact"),
            ("stop", "Stop"),
            ("subagent_start", "SubagentStart"),
            ("subagent_stop", "SubagentStop"),
            ("interrupt", "Interrupt"),
            ("session_end", "SessionEnd"),
        ],
    ),
    (
        "copilot",
        &[
            ("session_start", "sessionStart"),
            ("prompt", "userPromptSubmitted"),
            ("tool_pre", "preToolUse.bash"),
            ("tool_pre_create", "PreToolUse.pascal"),
            ("tool_pre_patch", "PreToolUse.apply_patch.pascal"),
            ("tool_post", "PostToolUse.Bash.pascal"),
            ("tool_error", "postToolUseFailure"),
            ("permission_request", "permissionRequest.bash"),
            ("stop", "agentStop"),
            ("stop_subagent", "agentStop.subagent"),
            ("subagent_start", "subagentStart"),
            ("subagent_stop", "subagentStop"),
            ("notification", "notification"),
            ("error", "errorOccurred"),
            ("session_end", "sessionEnd"),
        ],
    ),
    (
        "gemini",
        &[
            ("session_start", "SessionStart"),
            ("before_agent", "BeforeAgent"),
            ("before_tool", "BeforeTool.run_shell_command"),
            ("after_tool", "AfterTool.run_shell_command"),
            ("after_agent", "AfterAgent"),
            ("before_model", "BeforeModel"),
            ("after_model", "AfterModel"),
            ("before_tool_selection", "BeforeToolSelection"),
            ("pre_compress", "PreCompress"),
            ("notification", "Notification"),
            ("session_end", "SessionEnd"),
        ],
    ),
    (
        "opencode",
        &[
            ("session_start", "session-created"),
            ("session_start_compact", "session-created-after-compaction"),
            ("prompt", "chat-message"),
            ("tool_pre", "tool-execute-before.bash"),
            ("tool_pre_write", "tool-execute-before.write"),
            ("tool_post", "tool-execute-after.bash"),
            ("tool_error", "tool-execute-failed.read"),
            ("permission_request", "permission-asked.bash"),
            ("pre_compact", "experimental-session-compacting"),
            ("stop", "session-idle"),
            ("stop_one_shot", "session-idle.one-shot"),
            ("subagent_start", "subagent-created"),
            ("subagent_stop", "subagent-idle"),
            ("session_end", "session-deleted"),
        ],
    ),
    (
        "qwen",
        &[
            ("session_start", "SessionStart"),
            ("prompt_submit", "UserPromptSubmit"),
            ("tool_pre", "PreToolUse.run_shell_command"),
            ("permission_request", "PermissionRequest"),
            ("tool_post", "PostToolUse.run_shell_command"),
            ("tool_error", "PostToolUseFailure"),
            ("subagent_start", "SubagentStart"),
            ("subagent_stop", "SubagentStop"),
            ("pre_compact", "PreCompact"),
            ("notification", "Notification"),
            ("stop", "Stop"),
            ("session_end", "SessionEnd"),
        ],
    ),
];

/// A part that is `not supported` is refused before it is encoded, and the kernel has to adapt it.
#[test]
fn answers_are_exact() {
    for (agent, rows) in RECORDED {
        let mut all = String::new();
        for (name, file) in *rows {
            writeln!(all, "## {name}\n\n{}", answers(adapter(agent), &event(agent, file))).unwrap();
        }
        insta::assert_snapshot!(format!("answers_{agent}"), all);
    }
}

#[test]
fn silence_is_empty() {
    for (agent, _) in RECORDED {
        assert_eq!(adapter(agent).silence(), Answer::default(), "{agent}");
    }
}

#[test]
fn refusals_deny_in_the_agents_form() {
    let reason = "the payload is \"empty\"";
    for agent in ["claude", "codex", "gemini", "qwen"] {
        let refusal = adapter(agent).refusal(reason);
        let stderr = format!("{reason}\n").into_bytes();
        assert_eq!((refusal.exit_code, refusal.stderr), (2, stderr), "{agent}");
    }
    for agent in ["cline", "copilot", "opencode"] {
        let refusal = adapter(agent).refusal(reason);
        assert_eq!((refusal.exit_code, refusal.stderr.len()), (0, 0), "{agent}");
    }
    for (agent, expected) in [
        // It names no event: one that names another event would be thrown away, and the deny with it.
        (
            "claude",
            json!({
                "decision": "block", "reason": reason,
                "permissionDecision": "deny", "permissionDecisionReason": reason,
                "behavior": "deny", "message": reason,
            }),
        ),
        ("cline", json!({"cancel": true, "errorMessage": reason})),
        ("codex", Value::Null),
        (
            "copilot",
            json!({
                "permissionDecision": "deny", "permissionDecisionReason": reason,
                "behavior": "deny", "message": reason,
                "decision": "block", "reason": reason,
                "continue": false, "stopReason": reason,
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse", "permissionDecision": "deny",
                    "permissionDecisionReason": reason,
                },
            }),
        ),
        ("gemini", Value::Null),
        ("opencode", json!({"decision": "deny", "reason": reason})),
        ("qwen", Value::Null),
    ] {
        let stdout = adapter(agent).refusal(reason).stdout;
        let written: Value = serde_json::from_slice(&stdout).unwrap_or_default();
        assert_eq!(written, expected, "{agent}");
    }
}

/// Every key with which Copilot denies at some event is in its refusal.
#[test]
fn copilots_refusal_covers_every_deny() {
    let reason = "the payload is \"empty\"";
    let refusal: Value = serde_json::from_slice(&adapter("copilot").refusal(reason).stdout).unwrap();
    for name in [
        "userPromptSubmitted",
        "UserPromptSubmit.pascal",
        "preToolUse.bash",
        "PreToolUse.Bash.pascal",
        "permissionRequest.bash",
        "PermissionRequest.bash.pascal",
        "PostToolUse.Bash.pascal",
    ] {
        let denied = written("copilot", name, denying(reason));
        let denied: Map<String, Value> = serde_json::from_value(denied).unwrap();
        assert!(denied.iter().all(|(key, value)| refusal[key] == *value), "{denied:?}");
    }
}

/// Codex ignores a deny or a refusal without a reason.
#[test]
fn codex_denies_with_a_default_reason() {
    for name in ["PreToolUse", "PermissionRequest", "Stop", "PreCompact"] {
        let denied = written("codex", name, denying(" \n")).to_string();
        assert!(denied.contains("a hook denies it"), "{name}: {denied}");
    }
    assert_eq!(adapter("codex").refusal("").stderr, b"a hook denies it\n");
}

#[test]
fn unchanged_input_is_no_rewrite() {
    for (agent, name) in [
        ("codex", "PreToolUse"),
        ("codex", "PreToolUse.Bash"),
        ("copilot", "preToolUse"),
        ("copilot", "preToolUse.edit"),
        ("copilot", "preToolUse.apply_patch"),
        ("opencode", "tool-execute-before.bash"),
        ("opencode", "tool-execute-before.write"),
    ] {
        let event = event(agent, name);
        let input = event.tool.as_ref().map(|tool| tool.input.clone());
        let parts = AgentOutcomeParts { input, ..AgentOutcomeParts::default() };
        assert_eq!(answer(adapter(agent), &event, parts), Ok(Answer::default()), "{agent}: {name}");
    }
}

/// Fields that Codex knows, by event: it throws away an answer with another one.
fn codex_fields(event: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match event {
        "PreToolUse" => (
            &["systemMessage", "hookSpecificOutput"],
            &[
                "hookEventName",
                "permissionDecision",
                "permissionDecisionReason",
                "updatedInput",
                "additionalContext",
            ],
        ),
        "PermissionRequest" => (&["systemMessage", "hookSpecificOutput"], &["hookEventName", "decision"]),
        "PostToolUse" | "UserPromptSubmit" => (
            &["decision", "reason", "systemMessage", "hookSpecificOutput"],
            &["hookEventName", "additionalContext"],
        ),
        "SessionStart" | "SubagentStart" => {
            (&["systemMessage", "hookSpecificOutput"], &["hookEventName", "additionalContext"])
        }
        "Stop" | "SubagentStop" => (&["decision", "reason", "systemMessage"], &[]),
        "PreCompact" => (&["continue", "stopReason", "systemMessage"], &[]),
        "PostCompact" => (&["systemMessage"], &[]),
        _ => (&[], &[]),
    }
}

#[test]
fn codex_answers_have_known_fields_only() {
    let (_, rows) = RECORDED.iter().find(|(agent, _)| *agent == "codex").unwrap();
    for (_, file) in *rows {
        let event = event("codex", file);
        let (top, specific) = codex_fields(event.raw["hook_event_name"].as_str().unwrap());
        for (name, parts) in cases(&event) {
            let Ok(answer) = answer(adapter("codex"), &event, parts) else { continue };
            let written: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
            let has_others = |value: &Value, known: &[&str]| {
                value
                    .as_object()
                    .is_some_and(|fields| fields.keys().any(|key| !known.contains(&key.as_str())))
            };
            let own = &written["hookSpecificOutput"];
            assert!(!has_others(&written, top) && !has_others(own, specific), "{name}: {written}");
            let rewrites = own.get("updatedInput").is_some();
            assert_eq!(own["permissionDecision"] == "allow", rewrites, "{name}: {written}");
        }
    }
}

fn denying(reason: &str) -> AgentOutcomeParts {
    let verdict = AgentVerdict::Deny { reason: reason.to_owned() };
    AgentOutcomeParts { verdict, ..AgentOutcomeParts::default() }
}

fn written(agent: &str, file: &str, parts: AgentOutcomeParts) -> Value {
    let payload = fixture(agent, file);
    let event = std::sync::Arc::new(super::decode(agent, &payload).unwrap());
    serde_json::from_slice(&answer(adapter(agent), &event, parts).unwrap().stdout).unwrap()
}

proptest! {
    /// Quotes, line breaks and control characters arrive unchanged.
    #[test]
    fn texts_arrive_unchanged(reason in ".*x", context in "(.|\n){0,40}x", message in "(.|\n){0,40}x") {
        let deny = |parts: AgentOutcomeParts| AgentOutcomeParts { verdict: denying(&reason).verdict, ..parts };
        let none = AgentOutcomeParts::default;
        let with_context = || AgentOutcomeParts { context: Some(context.clone()), ..none() };
        let with_message = || AgentOutcomeParts { message: Some(message.clone()), ..none() };
        let both = || AgentOutcomeParts { context: Some(context.clone()), ..with_message() };
        let specific = json!({
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
            "additionalContext": context,
        });
        let injected = |event: &str| json!({"hookSpecificOutput": {
            "hookEventName": event, "additionalContext": context,
        }});
        let input = Map::from_iter([("command".to_owned(), json!(format!("echo {reason}")))]);
        let rewritten = AgentOutcomeParts { input: Some(input), ..none() };
        for (agent, file, parts, expected) in [
            ("claude", "PreToolUse.Bash", deny(both()), json!({"systemMessage": message, "hookSpecificOutput": specific})),
            ("codex", "PreToolUse", deny(both()), json!({"systemMessage": message, "hookSpecificOutput": specific})),
            ("cline", "PreToolUse.run_commands", deny(none()), json!({"cancel": true, "errorMessage": reason})),
            ("cline", "PreToolUse.run_commands", with_context(), json!({"contextModification": context})),
            (
                "cline",
                "PreToolUse.run_commands",
                rewritten,
                json!({"overrideInput": {"commands": [format!("echo {reason}")]}}),
            ),
            (
                "copilot",
                "preToolUse.bash",
                deny(with_context()),
                json!({"permissionDecision": "deny", "permissionDecisionReason": reason, "additionalContext": context}),
            ),
            ("gemini", "BeforeTool", deny(with_message()), json!({"decision": "deny", "reason": reason, "systemMessage": message})),
            ("gemini", "AfterTool", with_context(), injected("AfterTool")),
            ("qwen", "Stop", deny(with_message()), json!({"decision": "block", "reason": reason, "systemMessage": message})),
            ("qwen", "PostToolUse", deny(none()), json!({"continue": false, "stopReason": reason})),
            ("qwen", "PostToolUse", with_context(), injected("PostToolUse")),
            (
                "opencode",
                "tool-execute-after.bash",
                deny(with_context()),
                json!({"decision": "deny", "reason": reason, "additionalContext": context}),
            ),
        ] {
            prop_assert_eq!(written(agent, file, parts), expected, "{}", agent);
        }
    }
}
