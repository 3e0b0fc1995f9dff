//! The exact answers to Cline, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{FittedParts, FittedVerdict};

use super::{Cline, fixture, recorded};
use crate::exact_answers::{another_input, answer, answers, deny};

#[test]
fn answers_are_exact() {
    for (name, payload) in [
        ("task_start", fixture!("TaskStart")),
        ("prompt_submit", fixture!("UserPromptSubmit")),
        ("tool_pre", fixture!("PreToolUse.run_commands")),
        ("tool_pre_editor", fixture!("PreToolUse")),
        ("tool_post", fixture!("PostToolUse.run_commands")),
        ("task_complete", fixture!("TaskComplete")),
        ("task_error", fixture!("TaskError")),
        ("session_shutdown", fixture!("SessionShutdown")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(&Cline, &recorded(payload)));
    }
}

/// The extension ignores another input, and waits for an answer before it takes a prompt.
#[test]
fn the_extension_is_told_from_the_command_line_by_the_name_of_the_event() {
    let call = json!({"hookName": "PreToolUse", "clineVersion": "3", "taskId": "t",
        "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}}});
    let event = recorded(&call.to_string());
    assert_eq!(event.tool.as_ref().unwrap().command.as_deref(), Some("ls"));
    let rewritten = FittedParts { input: Some(another_input()), ..FittedParts::default() };
    assert_eq!(answer(&Cline, &event, rewritten), Err("input".to_owned()));
    let denied = || FittedParts { verdict: deny(), ..FittedParts::default() };
    assert!(answer(&Cline, &event, denied()).is_ok());
    let prompt = json!({"hookName": "UserPromptSubmit", "taskId": "t", "userPromptSubmit": {"prompt": "p"}});
    assert!(answer(&Cline, &recorded(&prompt.to_string()), denied()).is_ok());
    assert_eq!(answer(&Cline, &recorded(fixture!("UserPromptSubmit")), denied()), Err("verdict".to_owned()));
}

/// It reads no exit code: a refusal in any other form would be none.
#[test]
fn a_refusal_is_in_the_words() {
    let refusal = Cline.refusal("why");
    assert_eq!(String::from_utf8(refusal.stdout).unwrap(), "{\"cancel\":true,\"errorMessage\":\"why\"}\n");
    assert_eq!((refusal.exit_code, refusal.stderr.len()), (0, 0));
}

proptest! {
    #[test]
    fn any_text_arrives_as_it_is(text in "\\PC{1,80}") {
        prop_assume!(!text.trim().is_empty());
        let event = recorded(fixture!("PreToolUse.run_commands"));
        let said = |parts| -> Value {
            serde_json::from_slice(&answer(&Cline, &event, parts).unwrap().stdout).unwrap()
        };
        let denied = FittedParts { verdict: FittedVerdict::Deny { reason: text.clone() }, ..FittedParts::default() };
        prop_assert_eq!(said(denied), json!({"cancel": true, "errorMessage": text}));
        let context = FittedParts { context: Some(text.clone()), ..FittedParts::default() };
        prop_assert_eq!(said(context), json!({"contextModification": text}));
        let input = Map::from_iter([("command".to_owned(), json!(format!("echo {text}")))]);
        let rewritten = FittedParts { input: Some(input), ..FittedParts::default() };
        let expected = json!({"overrideInput": {"commands": [format!("echo {text}")]}});
        prop_assert_eq!(said(rewritten), expected);
    }
}
