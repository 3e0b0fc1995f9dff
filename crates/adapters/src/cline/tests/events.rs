//! What becomes of Cline's payloads.

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
        ("task_start", fixture!("TaskStart")),
        ("task_resume", fixture!("TaskResume")),
        ("prompt_submit", fixture!("UserPromptSubmit")),
        ("tool_pre", fixture!("PreToolUse.run_commands")),
        ("tool_pre_editor", fixture!("PreToolUse")),
        ("tool_pre_spawn_agent", fixture!("PreToolUse.spawn_agent")),
        ("tool_pre_subagent", fixture!("PreToolUse.run_commands-subagent")),
        ("tool_post", fixture!("PostToolUse.run_commands")),
        ("tool_post_failed", fixture!("PostToolUse.run_commands-failed")),
        ("task_complete", fixture!("TaskComplete")),
        ("task_cancel", fixture!("TaskCancel")),
        ("task_error", fixture!("TaskError")),
        ("session_shutdown", fixture!("SessionShutdown")),
        ("subagent_start", fixture!("TaskStart.subagent")),
        ("subagent_stop", fixture!("SessionShutdown.subagent")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

#[test]
fn every_event_of_cline_has_its_name_by_either_word() {
    for (word, file, expected) in [
        ("agent_start", "TaskStart", "session:start"),
        ("agent_resume", "TaskResume", "session:start"),
        ("prompt_submit", "UserPromptSubmit", "prompt:submit"),
        ("tool_call", "PreToolUse", "tool:pre"),
        ("tool_result", "PostToolUse", "tool:post"),
        ("agent_end", "TaskComplete", "orchestrator:complete"),
        ("agent_error", "TaskError", "error:orchestrator"),
        ("agent_abort", "TaskCancel", "cline:TaskCancel"),
        ("session_shutdown", "SessionShutdown", "session:end"),
        ("pre_compact", "PreCompact", "context:pre_compact"),
        ("notification", "Notification", "user:notification"),
    ] {
        for name in [word, file] {
            let payload = json!({"hookName": name, "preToolUse": {"toolName": "skills"}});
            let event = decode(&payload.to_string()).unwrap();
            assert_eq!(event.kind.as_str(), expected, "{name}");
            assert_eq!(event.raw, payload);
        }
        let own = event_names::find(file).map(|row| row.canonical);
        assert!(
            own == Some(expected) || expected.starts_with("cline:"),
            "{file} in the event table: {own:?}"
        );
    }
}

#[test]
fn a_new_name_is_an_event_of_its_own_and_another_agents_is_refused() {
    for name in ["tool_progress", "Something:New"] {
        let event = decode(&json!({"hookName": name}).to_string()).unwrap();
        assert_eq!(event.kind, EventKind::Other(format!("cline:{}", name.replace(':', "_"))));
        assert_eq!(EventKind::parse(event.kind.as_str()), Some(event.kind.clone()), "a hook can name it");
    }
    for name in ["BeforeTool", "tool:pre", "Stop", "HookFailed"] {
        let refused = decode(&json!({"hookName": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::OtherAgent { event: name.to_owned() });
    }
}

#[test]
fn what_is_about_to_run_must_be_named() {
    for call in
        [json!({}), json!({"tool_call": {}}), json!({"tool_call": {"name": ""}}), json!({"tool_call": 7})]
    {
        let mut payload = call;
        payload["hookName"] = json!("tool_call");
        let refused = decode(&payload.to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::BadField { field: "tool_call" });
    }
    assert_eq!(decode("{\"taskId\": \"t\"}"), Err(DecodeError::BadField { field: "hookName" }));
}

/// A failing command is a result; a tool that could not do its work is an error.
#[test]
fn a_tool_that_failed_is_an_error() {
    for (result, expected) in [
        (json!({"name": "editor", "output": "x"}), EventKind::ToolPost),
        (json!({"name": "editor", "output": "x", "error": null}), EventKind::ToolPost),
        (json!({"name": "editor", "output": "x", "error": "gone"}), EventKind::ToolError),
    ] {
        let event = decode(&json!({"hookName": "tool_result", "tool_result": result}).to_string()).unwrap();
        assert_eq!(event.kind, expected, "{result}");
        assert_eq!(event.error.is_some(), expected == EventKind::ToolError);
    }
    let of_extension =
        json!({"hookName": "PostToolUse", "postToolUse": {"toolName": "read_file", "success": false}});
    assert_eq!(decode(&of_extension.to_string()).unwrap().kind, EventKind::ToolError);
}

#[test]
fn a_sub_agent_is_in_the_session_that_the_user_sees() {
    let main = recorded(fixture!("PreToolUse.run_commands"));
    let sub = recorded(fixture!("PreToolUse.run_commands-subagent"));
    assert_eq!((main.agent_id.as_deref(), sub.agent_id.as_deref()), (None, Some("agent_0001")));
    assert_eq!(main.session, SessionId::parse("session_0001").unwrap());
    assert_eq!(sub.session, main.session);
    let without = decode(&json!({"hookName": "agent_end", "taskId": "t1"}).to_string()).unwrap();
    assert_eq!(without.session, SessionId::parse("t1").unwrap());
}
