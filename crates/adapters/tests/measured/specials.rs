//! Cases of single agents.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::{Decoded, Surroundings};
use tenter_contract::{AgentOutcomeParts, AgentVerdict, Event, EventError, EventKind, SessionId};

use super::cases::{another_input, answer, deny};
use super::{adapter, decode, decode_in, decode_json, event, fixture};

/// The event of an outcome carries rewrites of earlier hooks, so the original result is taken from the
/// payload; what a hook left out of its own is not filled up from there.
#[test]
fn claude_redacted_result_stays_redacted() {
    let mut event = event("claude", "PostToolUse.Bash").as_ref().clone();
    event.raw["tool_response"] = json!({"stdout": "SECRET", "stderr": "SECRET", "interrupted": false,
        "isImage": false, "persistedOutputPath": "/tmp/SECRET"});
    let event = Arc::new(event);
    for output in [json!("clean"), json!({"stdout": "clean"}), json!(null)] {
        let parts = AgentOutcomeParts { output: Some(output.clone()), ..AgentOutcomeParts::default() };
        let stdout = String::from_utf8(answer(adapter("claude"), &event, parts).unwrap().stdout).unwrap();
        assert!(!stdout.contains("SECRET"), "{output}: {stdout}");
    }
}

#[test]
fn claude_non_object_inputs_are_kept() {
    for (sent, expected) in [
        (json!({"command": "ls"}), json!({"command": "ls"})),
        (json!("ls"), json!({"value": "ls"})),
        (json!([1, 2]), json!({"value": [1, 2]})),
        (json!(null), json!({})),
    ] {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "X", "tool_input": sent});
        let input =
            decode("claude", &payload.to_string()).unwrap().tool.map(|tool| Value::Object(tool.input));
        assert_eq!(input, Some(expected), "{sent}");
    }
}

#[test]
fn claude_errors_are_read() {
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
        assert_eq!(decode("claude", &payload.to_string()).unwrap().error, expected, "{payload}");
    }
}

#[test]
fn claude_durations_lose_their_fraction() {
    for (sent, expected) in [
        (json!(12), Some(12)),
        (json!(12.75), Some(12)),
        (json!(-1), None),
        (json!(1e300), None),
        (json!("12"), None),
    ] {
        let payload = json!({"hook_event_name": "PostToolUse", "duration_ms": sent});
        assert_eq!(decode("claude", &payload.to_string()).unwrap().duration_ms, expected, "{sent}");
    }
}

/// The input that Gemini CLI would run after an answer with this new input, and whether the answer has one.
fn runs(event: &Arc<Event>, new: Map<String, Value>) -> (Value, bool) {
    let parts = AgentOutcomeParts { input: Some(new), ..AgentOutcomeParts::default() };
    let stdout = answer(adapter("gemini"), event, parts).unwrap().stdout;
    let answer: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    let mut runs = event.raw["tool_input"].as_object().cloned().unwrap();
    let changes = answer["hookSpecificOutput"]["tool_input"].as_object().cloned();
    let has_input = changes.is_some();
    runs.extend(changes.unwrap_or_default());
    (Value::Object(runs), has_input)
}

#[test]
fn gemini_changed_input_has_its_own_keys() {
    for payload in [
        "BeforeTool",
        "BeforeTool.read_file",
        "BeforeTool.replace",
        "BeforeTool.run_shell_command",
        "BeforeTool.run_shell_command-failed",
    ] {
        let event = event("gemini", payload);
        let untouched = event.tool.as_ref().unwrap().input.clone();
        let original = event.raw["tool_input"].clone();
        assert_eq!(runs(&event, untouched.clone()), (original.clone(), false), "untouched is no rewrite");
        for key in untouched.keys() {
            let mut new = untouched.clone();
            new.insert(key.clone(), json!("CHANGED"));
            let theirs = if key == "run_in_background" { "is_background" } else { key.as_str() };
            let mut expected = original.clone();
            expected[theirs] = json!("CHANGED");
            assert_eq!(runs(&event, new), (expected, true), "{key}");
        }
    }
}

fn any_key() -> impl proptest::strategy::Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "command",
        "file_path",
        "absolute_path",
        "path",
        "paths",
        "dir_path",
        "include",
        "include_pattern",
        "glob",
        "content",
        "old_string",
        "new_string",
        "is_background",
        "run_in_background",
        "allow_multiple",
        "other",
    ])
}

#[test]
fn gemini_mcp_tool_has_our_name() {
    let payload = json!({
        "hook_event_name": "BeforeTool", "tool_name": "mcp_my_files_read", "tool_input": {"path": "a"},
        "mcp_context": {"server_name": "my_files", "tool_name": "read", "command": "node"},
    });
    let call = decode("gemini", &payload.to_string()).unwrap().tool.unwrap();
    assert_eq!((call.name.as_str(), call.native_name.as_str()), ("mcp__my_files__read", "mcp_my_files_read"));
    assert_eq!(call.paths, ["a"]);
}

#[test]
fn gemini_reads_list_every_path() {
    let payload = json!({
        "hook_event_name": "BeforeTool", "tool_name": "read_many_files",
        "tool_input": {"include": ["src/*.rs", "secrets/key"]},
    });
    let call = decode("gemini", &payload.to_string()).unwrap().tool.unwrap();
    assert_eq!(
        (call.name.as_str(), call.paths),
        ("Read", vec!["src/*.rs".to_owned(), "secrets/key".to_owned()])
    );
}

#[test]
fn gemini_errors_are_read_from_results() {
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
        let event = decode("gemini", &payload.to_string()).unwrap();
        assert_eq!((event.kind, event.error), (EventKind::ToolPost, expected), "{response}");
    }
}

#[test]
fn gemini_environment_names_project_and_session() {
    for (environment, root, session) in [
        (vec![], None, "unknown"),
        (vec![("CLAUDE_PROJECT_DIR", "/c")], Some("/c"), "unknown"),
        (vec![("CLAUDE_PROJECT_DIR", "/c"), ("GEMINI_PROJECT_DIR", "/g")], Some("/g"), "unknown"),
        (vec![("GEMINI_SESSION_ID", "s7")], None, "s7"),
    ] {
        let payload = json!({"hook_event_name": "SessionStart", "cwd": "/elsewhere"}).to_string();
        let event = decode_in("gemini", &payload, &environment).unwrap();
        assert_eq!((event.project_root.as_deref(), event.session_text()), (root, session), "{environment:?}");
    }
    let event =
        decode_in("gemini", &fixture("gemini", "SessionStart"), &[("GEMINI_SESSION_ID", "s7")]).unwrap();
    assert_eq!(event.session_text(), "00000000-0000-4000-8000-000000000001", "the payload's own counts");
}

#[test]
fn codex_patch_lists_every_path() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n*** Add File: secrets/key\n+k\n*** Delete File: old\n*** End Patch";
    for input in [json!({"command": patch}), json!({"command": patch, "file_path": "harmless"})] {
        let payload =
            json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": input});
        let call = decode("codex", &payload.to_string()).unwrap().tool.unwrap();
        assert_eq!(call.paths, ["src/a.rs", "src/b.rs", "secrets/key", "old"]);
        assert_eq!(call.names().collect::<Vec<_>>(), ["Edit", "apply_patch", "edit", "Write", "write"]);
        assert_eq!(call.command, None, "a patch is no shell command");
    }
}

/// It says that a prompt comes before every call of the model; only the first of them is one.
#[test]
fn qwen_empty_prompt_is_no_event() {
    let about = |prompt: Value| {
        let payload = json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}).to_string();
        adapter("qwen").decode(payload.as_bytes(), &Surroundings::default()).unwrap()
    };
    assert_eq!(about(json!("")), Decoded::NotForUs);
    for prompt in [json!(" "), json!("hello"), json!(null), json!(7)] {
        assert!(matches!(about(prompt.clone()), Decoded::Event(_)), "{prompt}");
    }
}

#[test]
fn qwen_errors_are_read() {
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
        assert_eq!(decode("qwen", &payload.to_string()).unwrap().error, Some(expected), "{payload}");
    }
}

#[test]
fn qwen_environment_names_the_project() {
    for (environment, root) in [
        (vec![], None),
        (vec![("CLAUDE_PROJECT_DIR", "/c")], Some("/c")),
        (vec![("CLAUDE_PROJECT_DIR", "/c"), ("QWEN_PROJECT_DIR", "/q")], Some("/q")),
    ] {
        let event = decode_in("qwen", &fixture("qwen", "SessionStart"), &environment).unwrap();
        assert_eq!(event.project_root.as_deref(), root, "{environment:?}");
    }
}

/// The two spellings differ only in the names of tools.
#[test]
fn copilot_spellings_are_one_event() {
    for (camel, pascal) in [
        ("sessionStart", "SessionStart.pascal"),
        ("sessionEnd", "SessionEnd.pascal"),
        ("userPromptSubmitted", "UserPromptSubmit.pascal"),
        ("preToolUse", "PreToolUse.pascal"),
        ("preToolUse.bash", "PreToolUse.Bash.pascal"),
        ("preToolUse.apply_patch", "PreToolUse.apply_patch.pascal"),
        ("preToolUse.rg", "PreToolUse.Grep.pascal"),
        ("preToolUse.glob", "PreToolUse.Glob.pascal"),
        ("postToolUse", "PostToolUse.pascal"),
        ("postToolUse.bash-failed", "PostToolUse.Bash-failed.pascal"),
        ("permissionRequest", "PermissionRequest.pascal"),
        ("agentStop", "Stop.pascal"),
        ("subagentStart", "SubagentStart.pascal"),
    ] {
        let plain = |payload: &str| {
            let mut event = event("copilot", payload).as_ref().clone();
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
fn copilot_unnamed_event_is_known_by_its_keys() {
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
        assert_eq!(decode("copilot", &payload.to_string()).unwrap().kind.as_str(), expected, "{payload}");
    }
}

/// A sub-agent's calls come under an id of their own; what a session remembers is the user's session.
#[test]
fn copilot_sub_agent_has_its_parents_session() {
    let sessions = [
        "PreToolUse.Bash-subagent.pascal",
        "preToolUse.bash-subagent",
        "permissionRequest.bash-subagent",
        "subagentStop",
    ]
    .map(|payload| {
        let event = event("copilot", payload);
        assert_ne!(event.agent_id.as_deref(), Some(event.session_text()), "{payload}");
        let raw = event.raw.get("parentAgentId").or_else(|| event.raw.get("parent_agent_id")).cloned();
        (event.session_text().to_owned(), raw)
    });
    for (session, parent) in sessions {
        assert_eq!(Some(Value::from(session)), parent);
    }
}

/// The extension ignores another input, and waits for an answer before it takes a prompt.
#[test]
fn cline_extension_is_known_by_its_event_names() {
    let call = json!({"hookName": "PreToolUse", "clineVersion": "3", "taskId": "t",
        "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}}});
    let called = Arc::new(decode_json("cline", &call).unwrap());
    assert_eq!(called.tool.as_ref().unwrap().command.as_deref(), Some("ls"));
    let rewritten = AgentOutcomeParts { input: Some(another_input()), ..AgentOutcomeParts::default() };
    assert_eq!(answer(adapter("cline"), &called, rewritten), Err("input".to_owned()));
    let denied = || AgentOutcomeParts { verdict: deny(), ..AgentOutcomeParts::default() };
    assert!(answer(adapter("cline"), &called, denied()).is_ok());
    let prompt = json!({"hookName": "UserPromptSubmit", "taskId": "t", "userPromptSubmit": {"prompt": "p"}});
    assert!(answer(adapter("cline"), &Arc::new(decode_json("cline", &prompt).unwrap()), denied()).is_ok());
    assert_eq!(
        answer(adapter("cline"), &event("cline", "UserPromptSubmit"), denied()),
        Err("verdict".to_owned())
    );
}

/// A failing command is a result; a tool that could not do its work is an error.
#[test]
fn cline_failed_tool_is_an_error() {
    for (result, expected) in [
        (json!({"name": "editor", "output": "x"}), EventKind::ToolPost),
        (json!({"name": "editor", "output": "x", "error": null}), EventKind::ToolPost),
        (json!({"name": "editor", "output": "x", "error": "gone"}), EventKind::ToolError),
    ] {
        let event =
            decode("cline", &json!({"hookName": "tool_result", "tool_result": result}).to_string()).unwrap();
        assert_eq!(event.kind, expected, "{result}");
        assert_eq!(event.error.is_some(), expected == EventKind::ToolError);
    }
    let of_extension =
        json!({"hookName": "PostToolUse", "postToolUse": {"toolName": "read_file", "success": false}});
    assert_eq!(decode("cline", &of_extension.to_string()).unwrap().kind, EventKind::ToolError);
}

#[test]
fn cline_sub_agent_has_the_users_session() {
    let main = event("cline", "PreToolUse.run_commands");
    let sub = event("cline", "PreToolUse.run_commands-subagent");
    assert_eq!((main.agent_id.as_deref(), sub.agent_id.as_deref()), (None, Some("agent_0001")));
    assert_eq!(main.session, SessionId::parse("session_0001"));
    assert_eq!(sub.session, main.session);
    let without = decode("cline", &json!({"hookName": "agent_end", "taskId": "t1"}).to_string()).unwrap();
    assert_eq!(without.session, SessionId::parse("t1"));
}

proptest! {
    /// Before a compaction only a block is JSON; a text can never pass for one.
    #[test]
    fn claude_context_is_never_read_as_an_answer(blanks in "[ \t\r\n\u{feff}\u{a0}]{0,4}", rest in ".*") {
        let event = event("claude", "PreCompact");
        let context = format!("{blanks}{{{rest}");
        let parts = AgentOutcomeParts { context: Some(context.clone()), ..AgentOutcomeParts::default() };
        let stdout = String::from_utf8(answer(adapter("claude"), &event, parts).unwrap().stdout).unwrap();
        prop_assert!(stdout.starts_with("Hook feedback:\n") && stdout.contains(&context));
    }

    /// Any text of a deny arrives, also a blank one.
    #[test]
    fn blank_reasons_arrive(reason in "[ \t\n]{0,3}") {
        for (agent, file) in [("claude", "PreToolUse.Bash"), ("gemini", "BeforeTool"), ("copilot", "preToolUse.bash")] {
            let verdict = AgentVerdict::Deny { reason: reason.clone() };
            let parts = AgentOutcomeParts { verdict, ..AgentOutcomeParts::default() };
            let stdout = answer(adapter(agent), &event(agent, file), parts).unwrap().stdout;
            let written = String::from_utf8(stdout).unwrap();
            prop_assert!(written.contains(&json!(reason).to_string()), "{}: {}", agent, written);
        }
    }

    /// The judged input is the one that runs, whatever keys a model mixes and a hook changes or adds.
    #[test]
    fn gemini_runs_the_judged_input(
        tool in prop::sample::select(vec!["glob", "grep_search", "list_directory", "read_file", "read_many_files",
            "replace", "run_shell_command", "write_file", "mcp_a_b", "unknown"]),
        keys in prop::collection::btree_map(any_key(), "[ab]", 0..5),
        changes in prop::collection::btree_map(any_key(), "[cd]", 0..3),
    ) {
        let payload = json!({"hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": keys});
        let event = Arc::new(decode("gemini", &payload.to_string()).unwrap());
        let mut judged = event.tool.as_ref().unwrap().input.clone();
        judged.extend(changes.into_iter().map(|(key, value)| (key.to_owned(), json!(value))));
        let (runs, _) = runs(&event, judged.clone());
        let again = json!({"hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": runs});
        prop_assert_eq!(decode("gemini", &again.to_string()).unwrap().tool.unwrap().input, judged);
    }
}
