//! The exact answers to Codex CLI, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::{Codex, fixture, recorded};

fn deny() -> FittedVerdict {
    FittedVerdict::Deny { reason: "Operation denied by guard: \"no\"\nnever".to_owned() }
}

fn ask() -> FittedVerdict {
    FittedVerdict::Ask { prompt: "Deploy?".to_owned() }
}

fn allow() -> FittedVerdict {
    FittedVerdict::Allow { reason: Some("known".to_owned()) }
}

/// The input of the event with one key changed, or with nothing but that key.
fn input(event: &Event) -> Map<String, Value> {
    let mut input = event.tool.as_ref().map(|tool| tool.input.clone()).unwrap_or_default();
    let patch =
        event.tool.as_ref().and_then(|tool| tool.patch()).map(|patch| patch.replace("hello\n", "bye\n"));
    input.extend(patch.map_or_else(less, |patch| Map::from_iter([("command".to_owned(), json!(patch))])));
    input
}

fn less() -> Map<String, Value> {
    Map::from_iter([("command".to_owned(), json!("echo safe"))])
}

fn context() -> String {
    "Line 42 is too long".to_owned()
}

fn message() -> String {
    "1 problem found".to_owned()
}

/// What can be asked of an answer, one thing at a time and together.
fn cases(event: &Event) -> Vec<(&'static str, FittedParts)> {
    let nothing = FittedParts::default;
    let input = || Some(input(event));
    vec![
        ("silent", nothing()),
        ("silent, suppress", FittedParts { suppress: true, ..nothing() }),
        ("deny", FittedParts { verdict: deny(), ..nothing() }),
        ("deny, context", FittedParts { verdict: deny(), context: Some(context()), ..nothing() }),
        ("deny, message", FittedParts { verdict: deny(), message: Some(message()), ..nothing() }),
        ("deny, suppress", FittedParts { verdict: deny(), suppress: true, ..nothing() }),
        ("deny, input", FittedParts { verdict: deny(), input: input(), ..nothing() }),
        ("ask", FittedParts { verdict: ask(), ..nothing() }),
        ("allow", FittedParts { verdict: FittedVerdict::Allow { reason: None }, ..nothing() }),
        ("allow with reason", FittedParts { verdict: allow(), ..nothing() }),
        ("input", FittedParts { input: input(), ..nothing() }),
        ("another input", FittedParts { input: Some(less()), ..nothing() }),
        ("input, message", FittedParts { input: input(), message: Some(message()), ..nothing() }),
        ("output", FittedParts { output: Some(json!("clean")), ..nothing() }),
        ("prompt", FittedParts { prompt: Some("another".to_owned()), ..nothing() }),
        ("context", FittedParts { context: Some(context()), ..nothing() }),
        ("context like JSON", FittedParts { context: Some(" {\"a\":1}\n".to_owned()), ..nothing() }),
        ("blank context", FittedParts { context: Some(" \n".to_owned()), ..nothing() }),
        ("message", FittedParts { message: Some(message()), ..nothing() }),
        ("message, suppress", FittedParts { message: Some(message()), suppress: true, ..nothing() }),
        ("context, message", FittedParts { context: Some(context()), message: Some(message()), ..nothing() }),
    ]
}

fn answer(event: &Arc<Event>, parts: FittedParts) -> Result<Answer, String> {
    let fitted = Fitted::new(Arc::clone(event), parts, &Codex.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(Codex.encode(&fitted))
}

/// Every case at one event, as the agent reads it.
fn answers(payload: &str) -> String {
    let event = recorded(payload);
    let mut all = String::new();
    for (name, parts) in cases(&event) {
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
        ("prompt", fixture!("UserPromptSubmit")),
        ("tool_pre", fixture!("PreToolUse.Bash")),
        ("tool_pre_patch", fixture!("PreToolUse")),
        ("tool_pre_spawn", fixture!("PreToolUse.spawn_agent")),
        ("tool_post", fixture!("PostToolUse.Bash")),
        ("permission_request", fixture!("PermissionRequest")),
        ("pre_model", fixture!("PreModelRequest")),
        ("pre_compact", fixture!("PreCompact")),
        ("post_compact", fixture!("PostCompact")),
        ("stop", fixture!("Stop")),
        ("subagent_start", fixture!("SubagentStart")),
        ("subagent_stop", fixture!("SubagentStop")),
        ("interrupt", fixture!("Interrupt")),
        ("session_end", fixture!("SessionEnd")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(payload));
    }
}

#[test]
fn silence_says_nothing() {
    assert_eq!(Codex.silence(), Answer::default());
}

#[test]
fn a_refusal_blocks_without_json() {
    let expected = Answer { stdout: Vec::new(), stderr: b"the payload is empty\n".to_vec(), exit_code: 2 };
    assert_eq!(Codex.refusal("the payload is empty"), expected);
}

/// Codex takes neither a deny nor a refusal without a word.
#[test]
fn a_deny_without_a_reason_has_one() {
    for payload in
        [fixture!("PreToolUse"), fixture!("PermissionRequest"), fixture!("Stop"), fixture!("PreCompact")]
    {
        let parts = FittedParts {
            verdict: FittedVerdict::Deny { reason: " \n".to_owned() },
            ..FittedParts::default()
        };
        let stdout = answer(&recorded(payload), parts).unwrap().stdout;
        assert!(String::from_utf8(stdout).unwrap().contains("a hook denies it"), "{payload}");
    }
    assert_eq!(Codex.refusal("").stderr, b"a hook denies it\n");
}

#[test]
fn an_input_that_is_as_it_was_is_no_rewrite() {
    for payload in [fixture!("PreToolUse"), fixture!("PreToolUse.Bash")] {
        let event = recorded(payload);
        let input = event.tool.as_ref().map(|tool| tool.input.clone());
        assert_eq!(answer(&event, FittedParts { input, ..FittedParts::default() }), Ok(Answer::default()));
    }
}

/// Fields that Codex knows, by event: one more, and it throws the answer away.
fn known_fields(event: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match event {
        "PreToolUse" => (
            &["systemMessage", "hookSpecificOutput"],
            &[
                "hookEventName",
                "permissionDecision",
                "permissionDecisionReason",
                "updatedInput",
                "additionalContext",
            ],
        ),
        "PermissionRequest" => (&["systemMessage", "hookSpecificOutput"], &["hookEventName", "decision"]),
        "PostToolUse" | "UserPromptSubmit" => (
            &["decision", "reason", "systemMessage", "hookSpecificOutput"],
            &["hookEventName", "additionalContext"],
        ),
        "SessionStart" | "SubagentStart" => {
            (&["systemMessage", "hookSpecificOutput"], &["hookEventName", "additionalContext"])
        }
        "Stop" | "SubagentStop" => (&["decision", "reason", "systemMessage"], &[]),
        "PreCompact" => (&["continue", "stopReason", "systemMessage"], &[]),
        "PostCompact" => (&["systemMessage"], &[]),
        _ => (&[], &[]),
    }
}

#[test]
fn no_answer_has_a_field_too_many() {
    for payload in [
        fixture!("SessionStart"),
        fixture!("UserPromptSubmit"),
        fixture!("PreToolUse.Bash"),
        fixture!("PreToolUse"),
        fixture!("PostToolUse.Bash"),
        fixture!("PermissionRequest"),
        fixture!("PreModelRequest"),
        fixture!("PreCompact"),
        fixture!("PostCompact"),
        fixture!("Stop"),
        fixture!("SubagentStart"),
        fixture!("SubagentStop"),
        fixture!("Interrupt"),
        fixture!("SessionEnd"),
    ] {
        let event = recorded(payload);
        let (top, specific) = known_fields(event.raw["hook_event_name"].as_str().unwrap());
        for (name, parts) in cases(&event) {
            let Ok(answer) = answer(&event, parts) else { continue };
            let said: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
            let strange = |value: &Value, known: &[&str]| {
                value
                    .as_object()
                    .is_some_and(|fields| fields.keys().any(|key| !known.contains(&key.as_str())))
            };
            assert!(!strange(&said, top), "{name}: {said}");
            let own = &said["hookSpecificOutput"];
            assert!(!strange(own, specific), "{name}: {said}");
            let rewrites = own.get("updatedInput").is_some();
            assert_eq!(own["permissionDecision"] == "allow", rewrites, "{name}: {said}");
        }
    }
}

proptest! {
    /// Whatever a hook says, quotes and line breaks and control characters included, arrives as it was said.
    #[test]
    fn texts_arrive_unchanged(reason in ".*x", context in "(.|\n){0,40}x", message in "(.|\n){0,40}x") {
        let denied = FittedParts {
            verdict: FittedVerdict::Deny { reason: reason.clone() },
            context: Some(context.clone()),
            message: Some(message.clone()),
            ..FittedParts::default()
        };
        let event = recorded(fixture!("PreToolUse"));
        let read: Value = serde_json::from_slice(&answer(&event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"systemMessage": message, "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
            "additionalContext": context}}));
    }
}
