//! The exact answers to Copilot CLI, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::{Copilot, fixture, recorded};

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
        event.tool.as_ref().and_then(|tool| tool.patch()).map(|patch| patch.replace("A note", "No note"));
    input.extend(patch.map_or_else(less, |patch| Map::from_iter([("patch".to_owned(), json!(patch))])));
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
    let fitted = Fitted::new(Arc::clone(event), parts, &Copilot.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(Copilot.encode(&fitted))
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
        ("session_start", fixture!("sessionStart")),
        ("prompt", fixture!("userPromptSubmitted")),
        ("tool_pre", fixture!("preToolUse.bash")),
        ("tool_pre_create", fixture!("PreToolUse.pascal")),
        ("tool_pre_patch", fixture!("PreToolUse.apply_patch.pascal")),
        ("tool_post", fixture!("PostToolUse.Bash.pascal")),
        ("tool_error", fixture!("postToolUseFailure")),
        ("permission_request", fixture!("permissionRequest.bash")),
        ("stop", fixture!("agentStop")),
        ("stop_subagent", fixture!("agentStop.subagent")),
        ("subagent_start", fixture!("subagentStart")),
        ("subagent_stop", fixture!("subagentStop")),
        ("notification", fixture!("notification")),
        ("error", fixture!("errorOccurred")),
        ("session_end", fixture!("sessionEnd")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(payload));
    }
}

#[test]
fn silence_says_nothing() {
    assert_eq!(Copilot.silence(), Answer::default());
}

/// An exit code denies tools alone, and without a word.
#[test]
fn a_refusal_denies_at_every_event_and_says_why() {
    let Answer { stdout, stderr, exit_code } = Copilot.refusal("the payload is \"empty\"");
    assert_eq!((stderr.as_slice(), exit_code), (&b""[..], 0));
    let said: Value = serde_json::from_slice(&stdout).unwrap();
    let why = "the payload is \"empty\"";
    assert_eq!(
        said,
        json!({
            "permissionDecision": "deny", "permissionDecisionReason": why,
            "behavior": "deny", "message": why,
            "decision": "block", "reason": why,
            "continue": false, "stopReason": why,
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why,
            },
        })
    );
    for payload in [
        fixture!("userPromptSubmitted"),
        fixture!("UserPromptSubmit.pascal"),
        fixture!("preToolUse.bash"),
        fixture!("PreToolUse.Bash.pascal"),
        fixture!("permissionRequest.bash"),
        fixture!("PermissionRequest.bash.pascal"),
        fixture!("PostToolUse.Bash.pascal"),
    ] {
        let verdict = FittedVerdict::Deny { reason: why.to_owned() };
        let denied = answer(&recorded(payload), FittedParts { verdict, ..FittedParts::default() }).unwrap();
        let denied: Map<String, Value> = serde_json::from_slice(&denied.stdout).unwrap();
        assert!(denied.iter().all(|(key, value)| said[key] == *value), "{denied:?}");
    }
}

#[test]
fn an_input_that_is_as_it_was_is_no_rewrite() {
    for payload in [fixture!("preToolUse"), fixture!("preToolUse.edit"), fixture!("preToolUse.apply_patch")] {
        let event = recorded(payload);
        let input = event.tool.as_ref().map(|tool| tool.input.clone());
        assert_eq!(answer(&event, FittedParts { input, ..FittedParts::default() }), Ok(Answer::default()));
    }
}

proptest! {
    /// Whatever a hook says, quotes and line breaks and control characters included, arrives as it was said.
    #[test]
    fn texts_arrive_unchanged(reason in ".*", context in "(.|\n){0,40}x") {
        let denied = FittedParts {
            verdict: FittedVerdict::Deny { reason: reason.clone() },
            context: Some(context.clone()),
            ..FittedParts::default()
        };
        let event = recorded(fixture!("preToolUse.bash"));
        let read: Value = serde_json::from_slice(&answer(&event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"permissionDecision": "deny", "permissionDecisionReason": reason,
            "additionalContext": context}));
    }
}
