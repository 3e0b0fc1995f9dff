//! The exact answers to Claude Code, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, FittedParts, FittedVerdict};

use super::{ClaudeCode, fixture, recorded};
use crate::exact_answers::{answer, answers};

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
        insta::assert_snapshot!(format!("answers_{name}"), answers(&ClaudeCode, &recorded(payload)));
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
        let stdout = String::from_utf8(answer(&ClaudeCode, &event, parts).unwrap().stdout).unwrap();
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
        let read: Value = serde_json::from_slice(&answer(&ClaudeCode, &event, parts).unwrap().stdout).unwrap();
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
        let stdout = String::from_utf8(answer(&ClaudeCode, &event, parts).unwrap().stdout).unwrap();
        prop_assert!(stdout.starts_with("Hook feedback:\n") && stdout.contains(&context));
    }
}
