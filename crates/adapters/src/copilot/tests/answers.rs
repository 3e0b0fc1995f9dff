//! The exact answers to Copilot CLI, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, FittedParts, FittedVerdict};

use super::{Copilot, fixture, recorded};
use crate::exact_answers::{answer, answers};

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
        insta::assert_snapshot!(format!("answers_{name}"), answers(&Copilot, &recorded(payload)));
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
        let denied =
            answer(&Copilot, &recorded(payload), FittedParts { verdict, ..FittedParts::default() }).unwrap();
        let denied: Map<String, Value> = serde_json::from_slice(&denied.stdout).unwrap();
        assert!(denied.iter().all(|(key, value)| said[key] == *value), "{denied:?}");
    }
}

#[test]
fn an_input_that_is_as_it_was_is_no_rewrite() {
    for payload in [fixture!("preToolUse"), fixture!("preToolUse.edit"), fixture!("preToolUse.apply_patch")] {
        let event = recorded(payload);
        let input = event.tool.as_ref().map(|tool| tool.input.clone());
        assert_eq!(
            answer(&Copilot, &event, FittedParts { input, ..FittedParts::default() }),
            Ok(Answer::default())
        );
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
        let read: Value = serde_json::from_slice(&answer(&Copilot, &event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"permissionDecision": "deny", "permissionDecisionReason": reason,
            "additionalContext": context}));
    }
}
