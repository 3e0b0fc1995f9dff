//! What becomes of the plugin's payloads.

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
        ("session_start", fixture!("session-created")),
        ("session_start_compact", fixture!("session-created-after-compaction")),
        ("session_end", fixture!("session-deleted")),
        ("prompt", fixture!("chat-message")),
        ("tool_pre", fixture!("tool-execute-before.bash")),
        ("tool_pre_write", fixture!("tool-execute-before.write")),
        ("tool_pre_mcp", fixture!("tool-execute-before.mcp")),
        ("tool_pre_subagent", fixture!("tool-execute-before.bash.subagent")),
        ("tool_post", fixture!("tool-execute-after.bash")),
        ("tool_post_mcp", fixture!("tool-execute-after.mcp")),
        ("tool_error", fixture!("tool-execute-failed.read")),
        ("permission_request", fixture!("permission-asked.bash")),
        ("subagent_start", fixture!("subagent-created")),
        ("subagent_stop", fixture!("subagent-idle")),
        ("stop", fixture!("session-idle")),
        ("error", fixture!("session-error")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

#[test]
fn every_event_of_the_plugin_has_its_name() {
    for (name, expected) in [
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
    ] {
        let event = decode(&json!({"hook_event_name": name, "tool": "bash"}).to_string()).unwrap();
        assert_eq!(event.kind.as_str(), expected, "{name}");
        assert_eq!(event_names::find(name).map(|row| row.kind.clone()), Some(event.kind), "{name}");
    }
}

#[test]
fn what_tells_no_event_is_refused() {
    for (payload, field) in [
        (json!({}), "hook_event_name"),
        (json!({"plugin": "opencode"}), "hook_event_name"),
        (json!({"hook_event_name": 7}), "hook_event_name"),
        (json!({"hook_event_name": "tool.execute.before"}), "tool"),
        (json!({"hook_event_name": "permission.asked", "tool": ["bash"]}), "tool"),
    ] {
        assert_eq!(decode(&payload.to_string()), Err(DecodeError::BadField { field }), "{payload}");
    }
    for name in ["BeforeTool", "tool:pre", "PreToolUse", "chat_message"] {
        let refused = decode(&json!({"hook_event_name": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::OtherAgent { event: name.to_owned() });
    }
}

#[test]
fn a_call_is_judged_even_if_all_else_is_of_another_type() {
    let payload = json!({
        "hook_event_name": "tool.execute.before", "session_id": 7, "tool": "bash", "args": {"command": "rm -rf /"},
        "cwd": ["/"], "agent_id": 1, "attended": "no", "files": "a", "mcp_server": {}, "exit_code": "0",
    });
    let event = decode(&payload.to_string()).unwrap();
    assert_eq!((event.session, event.kind), (SessionId::unknown(), EventKind::ToolPre));
    assert_eq!(event.tool.and_then(|tool| tool.command), Some("rm -rf /".to_owned()));
}
