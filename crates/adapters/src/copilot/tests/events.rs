//! What becomes of Copilot CLI's payloads, in both spellings.

use serde_json::{Value, json};
use tenter_contract::ports::DecodeError;
use tenter_contract::{EventKind, SessionId, event_names};

use super::{decode, fixture, recorded};

/// The event without its payload and without what is absent.
fn shown(payload: &str) -> String {
    let mut event = recorded(payload).as_ref().clone();
    event.raw = Value::Null;
    let all = format!("{event:#?}");
    let absent =
        |line: &&str| [": None,", ": [],", ": {},", "raw: Null,"].iter().all(|end| !line.ends_with(end));
    all.lines().filter(absent).collect::<Vec<_>>().join("\n")
}

#[test]
fn recorded_payloads_become_events() {
    for (name, payload) in [
        ("session_start", fixture!("sessionStart")),
        ("session_end", fixture!("sessionEnd")),
        ("prompt", fixture!("userPromptSubmitted")),
        ("prompt_subagent", fixture!("userPromptSubmitted.subagent")),
        ("tool_pre", fixture!("preToolUse.bash")),
        ("tool_pre_create", fixture!("preToolUse")),
        ("tool_pre_edit", fixture!("preToolUse.edit")),
        ("tool_pre_patch", fixture!("preToolUse.apply_patch")),
        ("tool_pre_subagent", fixture!("preToolUse.bash-subagent")),
        ("tool_post_failed", fixture!("postToolUse.bash-failed")),
        ("tool_error", fixture!("postToolUseFailure")),
        ("permission_request", fixture!("permissionRequest")),
        ("notification", fixture!("notification")),
        ("error", fixture!("errorOccurred")),
        ("stop", fixture!("agentStop")),
        ("stop_subagent", fixture!("agentStop.subagent")),
        ("subagent_start", fixture!("subagentStart")),
        ("subagent_stop", fixture!("subagentStop")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

/// What the two spellings tell is the same but for what tools are called.
#[test]
fn both_spellings_are_one_event() {
    for (camel, pascal) in [
        (fixture!("sessionStart"), fixture!("SessionStart.pascal")),
        (fixture!("sessionEnd"), fixture!("SessionEnd.pascal")),
        (fixture!("userPromptSubmitted"), fixture!("UserPromptSubmit.pascal")),
        (fixture!("preToolUse"), fixture!("PreToolUse.pascal")),
        (fixture!("preToolUse.bash"), fixture!("PreToolUse.Bash.pascal")),
        (fixture!("preToolUse.apply_patch"), fixture!("PreToolUse.apply_patch.pascal")),
        (fixture!("preToolUse.rg"), fixture!("PreToolUse.Grep.pascal")),
        (fixture!("preToolUse.glob"), fixture!("PreToolUse.Glob.pascal")),
        (fixture!("postToolUse"), fixture!("PostToolUse.pascal")),
        (fixture!("postToolUse.bash-failed"), fixture!("PostToolUse.Bash-failed.pascal")),
        (fixture!("permissionRequest"), fixture!("PermissionRequest.pascal")),
        (fixture!("agentStop"), fixture!("Stop.pascal")),
        (fixture!("subagentStart"), fixture!("SubagentStart.pascal")),
    ] {
        let plain = |payload: &str| {
            let mut event = recorded(payload).as_ref().clone();
            event.raw = Value::Null;
            if let Some(tool) = &mut event.tool {
                tool.native_name.clear();
                tool.output = None;
            }
            event
        };
        assert_eq!(plain(camel), plain(pascal));
    }
}

#[test]
fn every_event_of_copilot_has_its_name_in_both_spellings() {
    for (camel, pascal, expected) in [
        ("sessionStart", "SessionStart", "session:start"),
        ("sessionEnd", "SessionEnd", "session:end"),
        ("userPromptSubmitted", "UserPromptSubmit", "prompt:submit"),
        ("preToolUse", "PreToolUse", "tool:pre"),
        ("permissionRequest", "PermissionRequest", "permission:request"),
        ("postToolUse", "PostToolUse", "tool:post"),
        ("postToolUseFailure", "PostToolUseFailure", "tool:error"),
        ("agentStop", "Stop", "orchestrator:complete"),
        ("subagentStart", "SubagentStart", "subagent:start"),
        ("subagentStop", "SubagentStop", "subagent:complete"),
        ("preCompact", "PreCompact", "context:pre_compact"),
        ("errorOccurred", "ErrorOccurred", "error:orchestrator"),
        ("notification", "Notification", "user:notification"),
        ("preMcpToolCall", "PreMcpToolCall", "copilot:PreMcpToolCall"),
        ("userPromptTransformed", "UserPromptTransformed", "copilot:UserPromptTransformed"),
    ] {
        for name in [camel, pascal] {
            let event = decode(&json!({"hook_event_name": name, "tool_name": "bash"}).to_string()).unwrap();
            assert_eq!(event.kind.as_str(), expected, "{name}");
            let known = event_names::observed(expected)
                .or_else(|| event_names::find(name).map(|row| row.kind.clone()));
            assert_eq!(known, Some(event.kind), "{name} in the event table");
        }
    }
}

#[test]
fn an_event_without_a_name_is_told_by_its_keys() {
    for (payload, expected) in [
        (json!({"toolName": "bash", "toolArgs": {}}), "tool:pre"),
        (json!({"toolName": "bash", "toolArgs": {}, "toolResult": {}}), "tool:post"),
        (json!({"toolName": "bash", "toolArgs": {}, "error": "x"}), "tool:error"),
        (json!({"toolName": "t", "serverName": "s", "arguments": {}}), "copilot:PreMcpToolCall"),
        (json!({"hookName": "permissionRequest", "toolName": "bash", "toolInput": {}}), "permission:request"),
        (json!({"prompt": ""}), "prompt:submit"),
        (json!({"prompt": "p", "transformedPrompt": "q"}), "copilot:UserPromptTransformed"),
        (json!({"errorContext": "model_call", "error": {"message": "m"}}), "error:orchestrator"),
        (json!({"agentName": "a", "transcriptPath": "t"}), "subagent:start"),
        (json!({"agentName": "a", "stopReason": "end_turn"}), "subagent:complete"),
        (json!({"stopReason": "end_turn", "transcriptPath": "t"}), "orchestrator:complete"),
        (json!({"stopReason": "end_turn", "agentId": "a"}), "copilot:SubagentTurnEnd"),
        (json!({"trigger": "auto", "customInstructions": ""}), "context:pre_compact"),
        (json!({"source": "new"}), "session:start"),
        (json!({"reason": "complete"}), "session:end"),
    ] {
        let mut payload = payload;
        payload["sessionId"] = json!("s");
        assert_eq!(decode(&payload.to_string()).unwrap().kind.as_str(), expected, "{payload}");
    }
}

#[test]
fn what_tells_no_event_is_refused() {
    for (payload, field) in [
        (json!({}), "hook_event_name"),
        (json!({"sessionId": "s"}), "hook_event_name"),
        (json!({"prompt": "p"}), "hook_event_name"),
        (json!({"hook_event_name": 7, "toolName": "bash", "sessionId": "s"}), "hook_event_name"),
        (json!({"hook_event_name": "PreToolUse"}), "tool_name"),
        (json!({"hook_event_name": "PreToolUse", "tool_name": ["bash"]}), "tool_name"),
        (json!({"hookName": "permissionRequest", "sessionId": "s"}), "tool_name"),
    ] {
        assert_eq!(decode(&payload.to_string()), Err(DecodeError::BadField { field }), "{payload}");
    }
    for name in ["BeforeTool", "tool:pre", "HookFailed", "PostCompact"] {
        let refused = decode(&json!({"hook_event_name": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::OtherAgent { event: name.to_owned() });
    }
}

#[test]
fn a_call_is_judged_even_if_all_else_is_of_another_type() {
    let payload = json!({
        "sessionId": 7, "timestamp": {}, "toolName": "bash", "toolArgs": {"command": "rm -rf /"}, "cwd": ["/"],
        "agentId": 1, "source": 1, "reason": {}, "prompt": [], "message": 1,
    });
    let event = decode(&payload.to_string()).unwrap();
    assert_eq!((event.session, event.kind), (SessionId::unknown(), EventKind::ToolPre));
    assert_eq!(event.tool.and_then(|tool| tool.command), Some("rm -rf /".to_owned()));
}

/// A sub-agent's calls come under an id of their own; what a session remembers is the user's session.
#[test]
fn a_sub_agent_belongs_to_the_session_that_started_it() {
    let sessions = [
        fixture!("PreToolUse.Bash-subagent.pascal"),
        fixture!("preToolUse.bash-subagent"),
        fixture!("permissionRequest.bash-subagent"),
        fixture!("subagentStop"),
    ]
    .map(|payload| {
        let event = decode(payload).unwrap();
        assert_ne!(event.agent_id.as_deref(), Some(event.session.as_str()), "{payload}");
        let raw = event.raw.get("parentAgentId").or_else(|| event.raw.get("parent_agent_id")).cloned();
        (event.session.as_str().to_owned(), raw)
    });
    for (session, parent) in sessions {
        assert_eq!(Some(Value::from(session)), parent);
    }
}
