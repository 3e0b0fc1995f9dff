//! What becomes of Claude Code's payloads.

use serde_json::{Value, json};
use tenter_contract::ports::DecodeError;
use tenter_contract::{EventError, EventKind, SessionId, event_names};

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
        ("session_start", fixture!("SessionStart.resume")),
        ("session_end", fixture!("SessionEnd")),
        ("prompt_submit", fixture!("UserPromptSubmit")),
        ("tool_pre_in_subagent", fixture!("PreToolUse.Bash-subagent")),
        ("tool_pre_edit", fixture!("PreToolUse.Edit")),
        ("tool_post", fixture!("PostToolUse.Bash")),
        ("tool_post_mcp", fixture!("PostToolUse.mcp__elic__askname")),
        ("tool_error", fixture!("PostToolUseFailure")),
        ("permission_request", fixture!("PermissionRequest")),
        ("subagent_stop", fixture!("SubagentStop")),
        ("stop_failure", fixture!("StopFailure")),
        ("notification", fixture!("Notification.permission_prompt")),
        ("post_compact", fixture!("PostCompact")),
        ("file_changed", fixture!("FileChanged")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

#[test]
fn every_event_of_claude_code_has_its_name() {
    let table = [
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
    ];
    assert_eq!(table.len(), 33);
    for (name, expected) in table {
        let payload = json!({"hook_event_name": name, "tool_name": "Bash"});
        let event = decode(&payload.to_string()).unwrap();
        assert_eq!(event.kind.as_str(), expected, "{name}");
        assert_eq!(event.kind.claude_name(), name, "unchanged scripts are given the name they know");
        assert_eq!(event.raw, payload);
        let own = event_names::find(name).map_or("claude:", |row| row.canonical);
        assert!(expected.starts_with(own), "{name} is {own} in the event table");
    }
}

#[test]
fn names_that_are_not_claude_codes_are_events_of_their_own() {
    let long = "x".repeat(500);
    for (name, expected) in [
        ("SomethingNew", "claude:SomethingNew".to_owned()),
        ("a b/\u{202e}é\n", "claude:a_b____".to_owned()),
        (&long, format!("claude:{}", "x".repeat(80))),
    ] {
        let event = decode(&json!({"hook_event_name": name}).to_string()).unwrap();
        assert_eq!(event.kind, EventKind::Other(expected), "{name}");
        assert_eq!(EventKind::parse(event.kind.as_str()), Some(event.kind.clone()), "a hook can name it");
    }
}

#[test]
fn another_agents_event_is_refused_so_that_no_guard_sleeps() {
    for name in ["preToolUse", "tool:pre", "HookFailed", "BeforeTool"] {
        let refused = decode(&json!({"hook_event_name": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::OtherAgent { event: name.to_owned() });
    }
}

#[test]
fn a_payload_without_a_usable_name_is_refused() {
    for (payload, field) in [
        (json!({}), "hook_event_name"),
        (json!({"hook_event_name": 7}), "hook_event_name"),
        (json!({"hook_event_name": null}), "hook_event_name"),
        (json!({"hook_event_name": ""}), "hook_event_name"),
        (json!({"hook_event_name": "PreToolUse"}), "tool_name"),
        (json!({"hook_event_name": "PreToolUse", "tool_name": ["Bash"]}), "tool_name"),
        (json!({"hook_event_name": "PermissionRequest", "tool_name": ""}), "tool_name"),
    ] {
        assert_eq!(decode(&payload.to_string()), Err(DecodeError::BadField { field }), "{payload}");
    }
}

#[test]
fn a_call_is_judged_even_if_all_else_is_of_another_type() {
    let payload = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"},
        "session_id": 7, "cwd": ["/"], "prompt_id": {}, "agent_id": false, "agent_type": 1, "source": 1,
        "reason": {}, "prompt": [], "message": 1, "error": {}, "is_interrupt": "yes", "duration_ms": "12",
        "file_path": 3, "tool_use_id": 9, "tool_response": 5,
    });
    let event = decode(&payload.to_string()).unwrap();
    assert_eq!(event.session, SessionId::unknown());
    assert_eq!(event.tool.and_then(|tool| tool.command), Some("rm -rf /".to_owned()));
}

#[test]
fn inputs_that_are_no_objects_are_kept() {
    for (given, expected) in [
        (json!({"command": "ls"}), json!({"command": "ls"})),
        (json!("ls"), json!({"value": "ls"})),
        (json!([1, 2]), json!({"value": [1, 2]})),
        (json!(null), json!({})),
    ] {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "X", "tool_input": given});
        let input = decode(&payload.to_string()).unwrap().tool.map(|tool| Value::Object(tool.input));
        assert_eq!(input, Some(expected), "{given}");
    }
}

#[test]
fn an_error_is_what_the_tool_or_the_agent_said() {
    let error = |kind: Option<&str>, message: &str| {
        Some(EventError { kind: kind.map(str::to_owned), message: message.to_owned() })
    };
    for (payload, expected) in [
        (
            json!({"hook_event_name": "PostToolUseFailure", "error": "gone", "is_interrupt": true}),
            error(Some("interrupt"), "gone"),
        ),
        (json!({"hook_event_name": "PostToolUseFailure"}), error(None, "")),
        (
            json!({"hook_event_name": "StopFailure", "error": "rate_limit", "error_details": "429",
                "last_assistant_message": "API Error"}),
            error(Some("rate_limit"), "429"),
        ),
        (json!({"hook_event_name": "Stop", "error": "x"}), None),
    ] {
        assert_eq!(decode(&payload.to_string()).unwrap().error, expected, "{payload}");
    }
}

#[test]
fn durations_lose_their_fraction() {
    for (given, expected) in [
        (json!(12), Some(12)),
        (json!(12.75), Some(12)),
        (json!(-1), None),
        (json!(1e300), None),
        (json!("12"), None),
    ] {
        let payload = json!({"hook_event_name": "PostToolUse", "duration_ms": given});
        assert_eq!(decode(&payload.to_string()).unwrap().duration_ms, expected, "{given}");
    }
}
