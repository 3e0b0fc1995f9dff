//! The exact answers to the plugin, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::{OPENCODE, fixture, recorded};

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
    input.extend(less());
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
    let fitted = Fitted::new(Arc::clone(event), parts, &OPENCODE.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(OPENCODE.encode(&fitted))
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
        ("session_start", fixture!("session-created")),
        ("session_start_compact", fixture!("session-created-after-compaction")),
        ("prompt", fixture!("chat-message")),
        ("tool_pre", fixture!("tool-execute-before.bash")),
        ("tool_pre_write", fixture!("tool-execute-before.write")),
        ("tool_post", fixture!("tool-execute-after.bash")),
        ("tool_error", fixture!("tool-execute-failed.read")),
        ("permission_request", fixture!("permission-asked.bash")),
        ("pre_compact", fixture!("experimental-session-compacting")),
        ("stop", fixture!("session-idle")),
        ("stop_one_shot", fixture!("session-idle.one-shot")),
        ("subagent_start", fixture!("subagent-created")),
        ("subagent_stop", fixture!("subagent-idle")),
        ("session_end", fixture!("session-deleted")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(payload));
    }
}

#[test]
fn silence_says_nothing() {
    assert_eq!(OPENCODE.silence(), Answer::default());
}

/// The plugin takes any exit code but 0 for a failure, which only denies with `--strict`.
#[test]
fn a_refusal_is_a_deny_in_json() {
    let stdout = b"{\"decision\":\"deny\",\"reason\":\"the payload is empty\"}\n".to_vec();
    assert_eq!(OPENCODE.refusal("the payload is empty"), Answer { stdout, ..Answer::default() });
}

#[test]
fn an_input_that_is_as_it_was_is_no_rewrite() {
    for payload in [fixture!("tool-execute-before.bash"), fixture!("tool-execute-before.write")] {
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
        let event = recorded(fixture!("tool-execute-after.bash"));
        let read: Value = serde_json::from_slice(&answer(&event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"decision": "deny", "reason": reason, "additionalContext": context}));
    }
}
