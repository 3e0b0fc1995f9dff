//! The exact answers to Qwen Code, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::{Qwen, fixture, recorded};

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
    let fitted = Fitted::new(Arc::clone(event), parts, &Qwen.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(Qwen.encode(&fitted))
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
        ("session_start", fixture!("SessionStart")),
        ("prompt_submit", fixture!("UserPromptSubmit")),
        ("tool_pre", fixture!("PreToolUse.run_shell_command")),
        ("permission_request", fixture!("PermissionRequest")),
        ("tool_post", fixture!("PostToolUse.run_shell_command")),
        ("tool_error", fixture!("PostToolUseFailure")),
        ("subagent_start", fixture!("SubagentStart")),
        ("subagent_stop", fixture!("SubagentStop")),
        ("pre_compact", fixture!("PreCompact")),
        ("notification", fixture!("Notification")),
        ("stop", fixture!("Stop")),
        ("session_end", fixture!("SessionEnd")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(payload));
    }
}

#[test]
fn silence_says_nothing() {
    assert_eq!(Qwen.silence(), Answer::default());
}

#[test]
fn a_refusal_blocks_without_json() {
    let expected = Answer { stdout: Vec::new(), stderr: b"the payload is empty\n".to_vec(), exit_code: 2 };
    assert_eq!(Qwen.refusal("the payload is empty"), expected);
}

proptest! {
    /// Whatever a hook says, quotes and line breaks and control characters included, arrives as it was said.
    #[test]
    fn texts_arrive_unchanged(reason in ".*", context in "(.|\n){0,40}x", message in "(.|\n){0,40}x") {
        let denied = |message| FittedParts {
            verdict: FittedVerdict::Deny { reason: reason.clone() },
            message,
            ..FittedParts::default()
        };
        let read = |payload: &str, parts| -> Value {
            serde_json::from_slice(&answer(&recorded(payload), parts).unwrap().stdout).unwrap()
        };
        prop_assert_eq!(
            read(fixture!("Stop"), denied(Some(message.clone()))),
            json!({"decision": "block", "reason": reason, "systemMessage": message})
        );
        prop_assert_eq!(
            read(fixture!("PostToolUse"), denied(None)),
            json!({"continue": false, "stopReason": reason})
        );
        let injected = FittedParts { context: Some(context.clone()), ..FittedParts::default() };
        prop_assert_eq!(
            read(fixture!("PostToolUse"), injected),
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": context}})
        );
    }
}
