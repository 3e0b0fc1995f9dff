//! What becomes of Codex CLI's payloads.

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
        ("session_start", fixture!("SessionStart.compact")),
        ("session_end", fixture!("SessionEnd")),
        ("prompt", fixture!("UserPromptSubmit")),
        ("prompt_subagent", fixture!("UserPromptSubmit.subagent")),
        ("tool_pre", fixture!("PreToolUse.Bash")),
        ("tool_pre_patch", fixture!("PreToolUse")),
        ("tool_pre_subagent", fixture!("PreToolUse.Bash-subagent")),
        ("tool_pre_spawn", fixture!("PreToolUse.spawn_agent")),
        ("tool_post", fixture!("PostToolUse.Bash-failed")),
        ("tool_post_patch", fixture!("PostToolUse")),
        ("permission_request", fixture!("PermissionRequest")),
        ("pre_model", fixture!("PreModelRequest")),
        ("pre_compact", fixture!("PreCompact")),
        ("post_compact", fixture!("PostCompact")),
        ("stop", fixture!("Stop")),
        ("subagent_start", fixture!("SubagentStart")),
        ("subagent_stop", fixture!("SubagentStop")),
        ("interrupt", fixture!("Interrupt")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

#[test]
fn every_event_of_codex_has_its_name() {
    let table = [
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
    ];
    for (name, expected) in table {
        let payload = json!({"hook_event_name": name, "tool_name": "Bash"});
        let event = decode(&payload.to_string()).unwrap();
        assert_eq!(event.kind.as_str(), expected, "{name}");
        let known =
            event_names::find(name).map(|row| row.kind.clone()).or_else(|| event_names::observed(expected));
        assert_eq!(known, Some(event.kind), "{name} in the event table");
    }
}

#[test]
fn a_new_name_is_an_event_of_its_own_and_another_agents_is_refused() {
    let event = decode(&json!({"hook_event_name": "Something:New"}).to_string()).unwrap();
    assert_eq!(event.kind, EventKind::Other("codex:Something_New".to_owned()));
    for name in ["preToolUse", "BeforeTool", "Notification", "PostToolUseFailure", "tool:pre", "HookFailed"] {
        let refused = decode(&json!({"hook_event_name": name}).to_string()).unwrap_err();
        assert_eq!(refused, DecodeError::OtherAgent { event: name.to_owned() });
    }
}

#[test]
fn a_payload_without_a_usable_name_is_refused() {
    for (payload, field) in [
        (json!({}), "hook_event_name"),
        (json!({"hook_event_name": 7}), "hook_event_name"),
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
        "session_id": 7, "cwd": ["/"], "turn_id": {}, "agent_id": 1, "source": 1, "trigger": {}, "reason": {},
        "prompt": [], "tool_response": 5, "tool_use_id": 3, "last_assistant_message": null,
    });
    let event = decode(&payload.to_string()).unwrap();
    assert_eq!(event.session, SessionId::unknown());
    assert_eq!(event.tool.and_then(|tool| tool.command), Some("rm -rf /".to_owned()));
}

#[test]
fn guards_of_paths_see_every_file_of_a_patch() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n*** Add File: secrets/key\n+k\n*** Delete File: old\n*** End Patch";
    for input in [json!({"command": patch}), json!({"command": patch, "file_path": "harmless"})] {
        let payload =
            json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": input});
        let call = decode(&payload.to_string()).unwrap().tool.unwrap();
        assert_eq!(call.paths, ["src/a.rs", "src/b.rs", "secrets/key", "old"]);
        assert_eq!(call.names().collect::<Vec<_>>(), ["Edit", "apply_patch", "edit", "Write", "write"]);
        assert_eq!(call.command, None, "a patch is no shell command");
    }
}
