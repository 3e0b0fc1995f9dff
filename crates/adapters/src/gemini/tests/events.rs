//! What becomes of Gemini CLI's payloads.

use serde_json::{Value, json};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{EventError, EventKind, SessionId, event_names};

use super::{decode, decode_in, fixture, recorded};

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
        ("before_agent", fixture!("BeforeAgent")),
        ("before_tool", fixture!("BeforeTool.run_shell_command")),
        ("before_tool_write", fixture!("BeforeTool")),
        ("before_tool_replace", fixture!("BeforeTool.replace")),
        ("before_tool_read", fixture!("BeforeTool.read_file")),
        ("after_tool", fixture!("AfterTool.run_shell_command")),
        ("after_tool_failed", fixture!("AfterTool.run_shell_command-failed")),
        ("after_agent", fixture!("AfterAgent")),
        ("before_model", fixture!("BeforeModel")),
        ("after_model", fixture!("AfterModel")),
        ("before_tool_selection", fixture!("BeforeToolSelection")),
        ("pre_compress", fixture!("PreCompress.manual")),
        ("notification", fixture!("Notification")),
    ] {
        insta::assert_snapshot!(format!("event_{name}"), shown(payload));
    }
}

#[test]
fn every_event_of_gemini_has_its_name() {
    let table = [
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
    ];
    assert_eq!(table.len(), 11);
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
    let event = decode(&json!({"hook_event_name": "Something:New"}).to_string()).unwrap();
    assert_eq!(event.kind, EventKind::Other("gemini:Something_New".to_owned()));
    assert_eq!(EventKind::parse(event.kind.as_str()), Some(event.kind.clone()), "a hook can name it");
    for name in ["beforeTool", "PreToolUse", "Stop", "tool:pre", "HookFailed"] {
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
        (json!({"hook_event_name": "BeforeTool"}), "tool_name"),
        (json!({"hook_event_name": "BeforeTool", "tool_name": ["glob"]}), "tool_name"),
        (json!({"hook_event_name": "BeforeTool", "tool_name": ""}), "tool_name"),
    ] {
        assert_eq!(decode(&payload.to_string()), Err(DecodeError::BadField { field }), "{payload}");
    }
}

#[test]
fn a_call_is_judged_even_if_all_else_is_of_another_type() {
    let payload = json!({
        "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
        "tool_input": {"command": "rm -rf /"}, "session_id": 7, "cwd": ["/"], "source": 1, "trigger": {},
        "reason": {}, "prompt": [], "message": 1, "tool_response": 5, "mcp_context": "x", "llm_response": [],
    });
    let event = decode(&payload.to_string()).unwrap();
    assert_eq!(event.session, SessionId::unknown());
    assert_eq!(event.tool.and_then(|tool| tool.command), Some("rm -rf /".to_owned()));
}

#[test]
fn a_tool_of_a_server_has_the_name_hooks_know() {
    let payload = json!({
        "hook_event_name": "BeforeTool", "tool_name": "mcp_my_files_read", "tool_input": {"path": "a"},
        "mcp_context": {"server_name": "my_files", "tool_name": "read", "command": "node"},
    });
    let call = decode(&payload.to_string()).unwrap().tool.unwrap();
    assert_eq!((call.name.as_str(), call.native_name.as_str()), ("mcp__my_files__read", "mcp_my_files_read"));
    assert_eq!(call.paths, ["a"]);
}

#[test]
fn guards_of_paths_see_every_file_that_is_read() {
    let payload = json!({
        "hook_event_name": "BeforeTool", "tool_name": "read_many_files",
        "tool_input": {"include": ["src/*.rs", "secrets/key"]},
    });
    let call = decode(&payload.to_string()).unwrap().tool.unwrap();
    assert_eq!(
        (call.name.as_str(), call.paths),
        ("Read", vec!["src/*.rs".to_owned(), "secrets/key".to_owned()])
    );
}

#[test]
fn an_error_is_what_the_result_says() {
    let error = |kind: Option<&str>, message: &str| {
        Some(EventError { kind: kind.map(str::to_owned), message: message.to_owned() })
    };
    for (response, expected) in [
        (
            json!({"llmContent": "", "error": {"type": "file_not_found", "message": "gone"}}),
            error(Some("file_not_found"), "gone"),
        ),
        (json!({"error": {}}), error(None, "")),
        (json!({"error": "gone"}), error(None, "gone")),
        (json!({"error": ["gone"]}), error(None, "[\"gone\"]")),
        (json!({"error": null}), None),
        (json!({"llmContent": "error"}), None),
        (json!("error"), None),
    ] {
        let payload =
            json!({"hook_event_name": "AfterTool", "tool_name": "read_file", "tool_response": response});
        let event = decode(&payload.to_string()).unwrap();
        assert_eq!((event.kind, event.error), (EventKind::ToolPost, expected), "{response}");
    }
}

#[test]
fn what_the_payload_does_not_say_the_environment_does() {
    let around = |pairs: &[(&str, &str)]| Surroundings {
        environment: pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..Surroundings::default()
    };
    for (environment, root, session) in [
        (vec![], None, "unknown"),
        (vec![("CLAUDE_PROJECT_DIR", "/c")], Some("/c"), "unknown"),
        (vec![("CLAUDE_PROJECT_DIR", "/c"), ("GEMINI_PROJECT_DIR", "/g")], Some("/g"), "unknown"),
        (vec![("GEMINI_SESSION_ID", "s7")], None, "s7"),
    ] {
        let payload = json!({"hook_event_name": "SessionStart", "cwd": "/elsewhere"}).to_string();
        let event = decode_in(&payload, &around(&environment)).unwrap();
        assert_eq!(
            (event.project_root.as_deref(), event.session.as_str()),
            (root, session),
            "{environment:?}"
        );
    }
    let event = decode_in(fixture!("SessionStart"), &around(&[("GEMINI_SESSION_ID", "s7")])).unwrap();
    assert_eq!(event.session.as_str(), "00000000-0000-4000-8000-000000000001", "the payload's own counts");
}
