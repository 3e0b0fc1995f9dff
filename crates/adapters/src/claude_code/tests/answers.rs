//! The exact answers to Claude Code, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::{ClaudeCode, fixture, recorded};

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
    Map::from_iter([("command".to_owned(), json!("echo safe"))])
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
        ("ask, message", FittedParts { verdict: ask(), message: Some(message()), ..nothing() }),
        ("ask, input", FittedParts { verdict: ask(), input: Some(input()), ..nothing() }),
        ("allow", FittedParts { verdict: FittedVerdict::Allow { reason: None }, ..nothing() }),
        ("allow with reason", FittedParts { verdict: allow(), ..nothing() }),
        ("allow, input", FittedParts { verdict: allow(), input: Some(input()), ..nothing() }),
        ("input", FittedParts { input: Some(input()), ..nothing() }),
        ("input, context", FittedParts { input: Some(input()), context: Some(context()), ..nothing() }),
        ("output", FittedParts { output: Some(json!("clean")), ..nothing() }),
        ("context", FittedParts { context: Some(context()), ..nothing() }),
        ("context like JSON", FittedParts { context: Some(" {\"a\":1}\n".to_owned()), ..nothing() }),
        ("blank context", FittedParts { context: Some(" \n".to_owned()), ..nothing() }),
        ("message", FittedParts { message: Some(message()), ..nothing() }),
        ("context, message", FittedParts { context: Some(context()), message: Some(message()), ..nothing() }),
        (
            "everything beside a deny",
            FittedParts {
                verdict: deny(),
                output: Some(json!({"stdout": "clean"})),
                context: Some(context()),
                message: Some(message()),
                suppress: true,
                ..nothing()
            },
        ),
    ]
}

fn answer(event: &Arc<Event>, parts: FittedParts) -> Result<Answer, String> {
    let fitted = Fitted::new(Arc::clone(event), parts, &ClaudeCode.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(ClaudeCode.encode(&fitted))
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
        ("tool_pre", fixture!("PreToolUse.Bash")),
        ("permission_request", fixture!("PermissionRequest")),
        ("tool_post", fixture!("PostToolUse.Bash")),
        ("tool_post_write", fixture!("PostToolUse")),
        ("tool_error", fixture!("PostToolUseFailure")),
        ("pre_compact", fixture!("PreCompact")),
        ("stop", fixture!("Stop")),
        ("subagent_start", fixture!("SubagentStart")),
        ("subagent_stop", fixture!("SubagentStop")),
        ("session_end", fixture!("SessionEnd")),
        ("worktree_create", fixture!("WorktreeCreate")),
    ] {
        insta::assert_snapshot!(format!("answers_{name}"), answers(payload));
    }
}

#[test]
fn silence_says_nothing() {
    assert_eq!(ClaudeCode.silence(), Answer::default());
}

#[test]
fn a_refusal_blocks_by_its_exit_code_and_in_words_that_copilot_takes_too() {
    let Answer { stdout, stderr, exit_code } = ClaudeCode.refusal("the payload is \"empty\"");
    assert_eq!((exit_code, stderr.as_slice()), (2, &b"the payload is \"empty\"\n"[..]));
    let said = serde_json::from_slice::<serde_json::Value>(&stdout).unwrap();
    // One that names another event would be thrown away, and the deny with it.
    assert!(said.get("hookSpecificOutput").is_none(), "{said}");
    for (verdict, word, reason) in [
        ("decision", "block", "reason"),
        ("permissionDecision", "deny", "permissionDecisionReason"),
        ("behavior", "deny", "message"),
    ] {
        assert_eq!((&said[verdict], &said[reason]), (&word.into(), &"the payload is \"empty\"".into()));
    }
}

/// The event of an outcome carries rewrites of earlier hooks, so the original result is taken from the
/// payload; what a hook left out of its own is not filled up from there.
#[test]
fn a_redacted_result_does_not_come_back() {
    let mut event = recorded(fixture!("PostToolUse.Bash")).as_ref().clone();
    event.raw["tool_response"] = json!({"stdout": "SECRET", "stderr": "SECRET", "interrupted": false,
        "isImage": false, "persistedOutputPath": "/tmp/SECRET"});
    let event = Arc::new(event);
    for output in [json!("clean"), json!({"stdout": "clean"}), json!(null)] {
        let parts = FittedParts { output: Some(output.clone()), ..FittedParts::default() };
        let stdout = String::from_utf8(answer(&event, parts).unwrap().stdout).unwrap();
        assert!(!stdout.contains("SECRET"), "{output}: {stdout}");
    }
}

proptest! {
    /// Whatever a hook says, quotes and line breaks and control characters included, arrives as it was said.
    #[test]
    fn texts_arrive_unchanged(reason in ".*", context in "(.|\n){0,40}x", message in "(.|\n){0,40}x") {
        let event = recorded(fixture!("PreToolUse.Bash"));
        let parts = FittedParts {
            verdict: FittedVerdict::Deny { reason: reason.clone() },
            context: Some(context.clone()),
            message: Some(message.clone()),
            ..FittedParts::default()
        };
        let read: Value = serde_json::from_slice(&answer(&event, parts).unwrap().stdout).unwrap();
        let expected = json!({
            "systemMessage": message,
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
                "additionalContext": context,
            },
        });
        prop_assert_eq!(read, expected);
    }

    /// Before a compaction only a block is JSON; a text can never pass for one.
    #[test]
    fn no_context_is_read_as_an_answer(blanks in "[ \t\r\n\u{feff}\u{a0}]{0,4}", rest in ".*") {
        let event = recorded(fixture!("PreCompact"));
        let context = format!("{blanks}{{{rest}");
        let parts = FittedParts { context: Some(context.clone()), ..FittedParts::default() };
        let stdout = String::from_utf8(answer(&event, parts).unwrap().stdout).unwrap();
        prop_assert!(stdout.starts_with("Hook feedback:\n") && stdout.contains(&context));
    }
}
