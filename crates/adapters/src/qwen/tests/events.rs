//! What becomes of Qwen Code's payloads.

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{EventError, EventKind, SessionId, event_names};

use super::{Qwen, decode, decode_in, fixture, recorded};

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
        ("session_start", fixture!("SessionStart")),
        ("session_end", fixture!("SessionEnd")),
        ("prompt_submit", fixture!("UserPromptSubmit")),
        ("tool_pre", fixture!("PreToolUse.run_shell_command")),
        ("tool_pre_write", fixture!("PreToolUse")),
        ("tool_pre_edit", fixture!("PreToolUse.edit")),
        ("tool_pre_agent", fixture!("PreToolUse.agent")),
        ("permission_request", fixture!("PermissionRequest")),
        ("tool_post", fixture!("PostToolUse.run_shell_command")),
        ("tool_post_failed", fixture!("PostToolUse.run_shell_command-failed")),
        ("tool_error", fixture!("PostToolUseFailure")),
        ("subagent_start", fixture!("SubagentStart")),
        ("subagent_stop", fixture!("SubagentStop")),
        ("pre_compact", fixture!("PreCompact")),
        ("notification", fixture!("Notification.permission_prompt")),
        ("stop", fixture!("Stop")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

#[test]
fn every_event_of_qwen_has_its_name() {
    let table = [
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
    ];
    assert_eq!(table.len(), 14);
    for (name, expected) in table {
        let payload = json!({"hook_event_name": name, "tool_name": "glob"});
        let event = decode(&payload.to_string()).unwrap();
        assert_eq!(event.kind.as_str(), expected, "{name}");
        assert_eq!(event.raw, payload);
        let own = event_names::find(name).map(|row| row.canonical);
        assert_eq!(own, Some(expected), "{name} in the event table");
    }
}

#[test]
fn a_new_name_is_an_event_of_its_own_and_another_agents_is_refused() {
    for name in ["TodoCreated", "Something:New"] {
        let event = decode(&json!({"hook_event_name": name}).to_string()).unwrap();
        assert_eq!(event.kind, EventKind::Other(format!("qwen:{}", name.replace(':', "_"))));
        assert_eq!(EventKind::parse(event.kind.as_str()), Some(event.kind.clone()), "a hook can name it");
    }
    for name in ["preToolUse", "BeforeTool", "tool:pre", "HookFailed"] {
        let refused = decode(&json!({"hook_event_name": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::OtherAgent { event: name.to_owned() });
    }
}

/// It says that a prompt comes before every call of the model; only the first of them is one.
#[test]
fn a_prompt_that_nobody_has_written_is_none() {
    let about = |prompt: Value| {
        let payload = json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}).to_string();
        Qwen.decode(payload.as_bytes(), &Surroundings::default()).unwrap()
    };
    assert_eq!(about(json!("")), Decoded::NotForUs);
    for prompt in [json!(" "), json!("hello"), json!(null), json!(7)] {
        assert!(matches!(about(prompt.clone()), Decoded::Event(_)), "{prompt}");
    }
}

#[test]
fn what_is_about_to_run_must_be_named() {
    for name in ["PreToolUse", "PermissionRequest"] {
        let refused = decode(&json!({"hook_event_name": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::BadField { field: "tool_name" });
    }
}

#[test]
fn what_failed_is_told() {
    for (payload, expected) in [
        (
            json!({"hook_event_name": "PostToolUseFailure", "error": "gone", "is_interrupt": false}),
            EventError { kind: None, message: "gone".to_owned() },
        ),
        (
            json!({"hook_event_name": "PostToolUseFailure", "error": "stopped", "is_interrupt": true}),
            EventError { kind: Some("interrupt".to_owned()), message: "stopped".to_owned() },
        ),
        (
            json!({"hook_event_name": "StopFailure", "error": "rate_limit", "error_details": "429"}),
            EventError { kind: Some("rate_limit".to_owned()), message: "429".to_owned() },
        ),
    ] {
        assert_eq!(decode(&payload.to_string()).unwrap().error, Some(expected), "{payload}");
    }
}

#[test]
fn fields_of_the_wrong_type_count_as_absent() {
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": 7, "cwd": [], "tool_name": "todo_write",
        "tool_input": "text", "tool_use_id": {}});
    let event = decode(&payload.to_string()).unwrap();
    assert_eq!((event.session, event.cwd), (SessionId::unknown(), None));
    let tool = event.tool.unwrap();
    assert_eq!(Value::Object(tool.input), json!({"value": "text"}));
    assert_eq!(tool.call_id, None);
}

#[test]
fn the_project_is_told_by_the_environment() {
    let around = |pairs: &[(&str, &str)]| Surroundings {
        environment: pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..Surroundings::default()
    };
    for (environment, root) in [
        (vec![], None),
        (vec![("CLAUDE_PROJECT_DIR", "/c")], Some("/c")),
        (vec![("CLAUDE_PROJECT_DIR", "/c"), ("QWEN_PROJECT_DIR", "/q")], Some("/q")),
    ] {
        let event = decode_in(fixture!("SessionStart"), &around(&environment)).unwrap();
        assert_eq!(event.project_root.as_deref(), root, "{environment:?}");
    }
}
