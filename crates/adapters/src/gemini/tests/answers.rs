//! The exact answers to Gemini CLI, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, FittedParts, FittedVerdict};

use super::{Gemini, decode, fixture, recorded};
use crate::exact_answers::{answer, answers};

#[test]
fn answers_are_exact() {
    for (name, payload) in [
        ("session_start", fixture!("SessionStart")),
        ("before_agent", fixture!("BeforeAgent")),
        ("before_tool", fixture!("BeforeTool.run_shell_command")),
        ("after_tool", fixture!("AfterTool.run_shell_command")),
        ("after_agent", fixture!("AfterAgent")),
        ("before_model", fixture!("BeforeModel")),
        ("after_model", fixture!("AfterModel")),
        ("before_tool_selection", fixture!("BeforeToolSelection")),
        ("pre_compress", fixture!("PreCompress")),
        ("notification", fixture!("Notification")),
        ("session_end", fixture!("SessionEnd")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(&Gemini, &recorded(payload)));
    }
}

#[test]
fn silence_says_nothing() {
    assert_eq!(Gemini.silence(), Answer::default());
}

#[test]
fn a_refusal_blocks_without_json() {
    let expected = Answer { stdout: Vec::new(), stderr: b"the payload is empty\n".to_vec(), exit_code: 2 };
    assert_eq!(Gemini.refusal("the payload is empty"), expected);
}

/// The input that Gemini CLI would run after an answer with this new input, and whether it was told of one.
fn runs(event: &Arc<Event>, new: Map<String, Value>) -> (Value, bool) {
    let parts = FittedParts { input: Some(new), ..FittedParts::default() };
    let stdout = answer(&Gemini, event, parts).unwrap().stdout;
    let said: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    let mut runs = event.raw["tool_input"].as_object().cloned().unwrap();
    let changes = said["hookSpecificOutput"]["tool_input"].as_object().cloned();
    let told = changes.is_some();
    runs.extend(changes.unwrap_or_default());
    (Value::Object(runs), told)
}

#[test]
fn a_changed_input_comes_out_under_geminis_own_keys() {
    for payload in [
        fixture!("BeforeTool"),
        fixture!("BeforeTool.read_file"),
        fixture!("BeforeTool.replace"),
        fixture!("BeforeTool.run_shell_command"),
        fixture!("BeforeTool.run_shell_command-failed"),
    ] {
        let event = recorded(payload);
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

proptest! {
    /// Whatever a hook says, quotes and line breaks and control characters included, arrives as it was said.
    #[test]
    fn texts_arrive_unchanged(reason in ".*", context in "(.|\n){0,40}x", message in "(.|\n){0,40}x") {
        let denied = FittedParts {
            verdict: FittedVerdict::Deny { reason: reason.clone() },
            message: Some(message.clone()),
            ..FittedParts::default()
        };
        let event = recorded(fixture!("BeforeTool"));
        let read: Value = serde_json::from_slice(&answer(&Gemini, &event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"decision": "deny", "reason": reason, "systemMessage": message}));
        let injected = FittedParts { context: Some(context.clone()), ..FittedParts::default() };
        let event = recorded(fixture!("AfterTool"));
        let read: Value = serde_json::from_slice(&answer(&Gemini, &event, injected).unwrap().stdout).unwrap();
        prop_assert_eq!(
            read,
            json!({"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": context}})
        );
    }

    /// What the guards judged is what runs, whatever keys a model mixes and a hook changes or adds.
    #[test]
    fn what_runs_is_what_was_judged(
        tool in prop::sample::select(vec!["glob", "grep_search", "list_directory", "read_file", "read_many_files",
            "replace", "run_shell_command", "write_file", "mcp_a_b", "unknown"]),
        keys in prop::collection::btree_map(any_key(), "[ab]", 0..5),
        changes in prop::collection::btree_map(any_key(), "[cd]", 0..3),
    ) {
        let payload = json!({"hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": keys});
        let event = Arc::new(decode(&payload.to_string()).unwrap());
        let mut judged = event.tool.as_ref().unwrap().input.clone();
        judged.extend(changes.into_iter().map(|(key, value)| (key.to_owned(), json!(value))));
        let (runs, _) = runs(&event, judged.clone());
        let again = json!({"hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": runs});
        prop_assert_eq!(decode(&again.to_string()).unwrap().tool.unwrap().input, judged);
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
