//! The exact answers to Cline, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::{Cline, fixture, recorded};

fn deny() -> FittedVerdict {
    FittedVerdict::Deny { reason: "Operation denied by guard: \"no\"\nnever".to_owned() }
}

fn ask() -> FittedVerdict {
    FittedVerdict::Ask { prompt: "Deploy?".to_owned() }
}

fn allow() -> FittedVerdict {
    FittedVerdict::Allow { reason: Some("known".to_owned()) }
}

fn input() -> Map<String, Value> {
    Map::from_iter([
        ("command".to_owned(), json!("echo safe")),
        ("run_in_background".to_owned(), json!(true)),
    ])
}

fn context() -> String {
    "Line 42 is too long".to_owned()
}

fn message() -> String {
    "1 problem found".to_owned()
}

/// What can be asked of an answer, one thing at a time and together.
fn cases() -> Vec<(&'static str, FittedParts)> {
    let nothing = FittedParts::default;
    vec![
        ("silent", nothing()),
        ("silent, suppress", FittedParts { suppress: true, ..nothing() }),
        ("deny", FittedParts { verdict: deny(), ..nothing() }),
        ("deny, context", FittedParts { verdict: deny(), context: Some(context()), ..nothing() }),
        ("deny, message", FittedParts { verdict: deny(), message: Some(message()), ..nothing() }),
        ("deny, suppress", FittedParts { verdict: deny(), suppress: true, ..nothing() }),
        ("ask", FittedParts { verdict: ask(), ..nothing() }),
        ("allow", FittedParts { verdict: FittedVerdict::Allow { reason: None }, ..nothing() }),
        ("allow with reason", FittedParts { verdict: allow(), ..nothing() }),
        ("allow, input", FittedParts { verdict: allow(), input: Some(input()), ..nothing() }),
        ("input", FittedParts { input: Some(input()), ..nothing() }),
        ("output", FittedParts { output: Some(json!("clean")), ..nothing() }),
        ("prompt", FittedParts { prompt: Some("another".to_owned()), ..nothing() }),
        ("context", FittedParts { context: Some(context()), ..nothing() }),
        ("context like JSON", FittedParts { context: Some(" {\"a\":1}\n".to_owned()), ..nothing() }),
        ("blank context", FittedParts { context: Some(" \n".to_owned()), ..nothing() }),
        ("message", FittedParts { message: Some(message()), ..nothing() }),
        ("context, message", FittedParts { context: Some(context()), message: Some(message()), ..nothing() }),
    ]
}

fn answer(event: &Arc<Event>, parts: FittedParts) -> Result<Answer, String> {
    let fitted = Fitted::new(Arc::clone(event), parts, &Cline.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(Cline.encode(&fitted))
}

/// Every case at one event, as the agent reads it.
fn answers(payload: &str) -> String {
    let event = recorded(payload);
    let mut all = String::new();
    for (name, parts) in cases() {
        let said = match answer(&event, parts) {
            Err(part) => format!("(cannot carry: {part})\n"),
            Ok(answer) => {
                assert_eq!((answer.exit_code, answer.stderr.as_slice()), (0, [].as_slice()), "{name}");
                String::from_utf8(answer.stdout).unwrap()
            }
        };
        write!(all, "# {name}\n{said}\n").unwrap();
    }
    all
}

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
        insta::assert_snapshot!(format!("answers_{name}"), answers(payload));
    }
}

/// The extension ignores another input, and waits for an answer before it takes a prompt.
#[test]
fn the_extension_is_told_from_the_command_line_by_the_name_of_the_event() {
    let call = json!({"hookName": "PreToolUse", "clineVersion": "3", "taskId": "t",
        "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}}});
    let event = recorded(&call.to_string());
    assert_eq!(event.tool.as_ref().unwrap().command.as_deref(), Some("ls"));
    let rewritten = FittedParts { input: Some(input()), ..FittedParts::default() };
    assert_eq!(answer(&event, rewritten), Err("input".to_owned()));
    let denied = || FittedParts { verdict: deny(), ..FittedParts::default() };
    assert!(answer(&event, denied()).is_ok());
    let prompt = json!({"hookName": "UserPromptSubmit", "taskId": "t", "userPromptSubmit": {"prompt": "p"}});
    assert!(answer(&recorded(&prompt.to_string()), denied()).is_ok());
    assert_eq!(answer(&recorded(fixture!("UserPromptSubmit")), denied()), Err("verdict".to_owned()));
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
            serde_json::from_slice(&answer(&event, parts).unwrap().stdout).unwrap()
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
