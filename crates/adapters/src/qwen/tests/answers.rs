//! The exact answers to Qwen Code, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, FittedParts, FittedVerdict};

use super::{Qwen, fixture, recorded};
use crate::exact_answers::{answer, answers};

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
        insta::assert_snapshot!(format!("answers_{name}"), answers(&Qwen, &recorded(payload)));
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
            serde_json::from_slice(&answer(&Qwen, &recorded(payload), parts).unwrap().stdout).unwrap()
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
