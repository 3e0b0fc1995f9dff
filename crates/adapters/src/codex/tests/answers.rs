//! The exact answers to Codex CLI, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, FittedParts, FittedVerdict};

use super::{Codex, fixture, recorded};
use crate::exact_answers::{answer, answers, cases};

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
        insta::assert_snapshot!(format!("answers_{name}"), answers(&Codex, &recorded(payload)));
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
        let stdout = answer(&Codex, &recorded(payload), parts).unwrap().stdout;
        assert!(String::from_utf8(stdout).unwrap().contains("a hook denies it"), "{payload}");
    }
    assert_eq!(Codex.refusal("").stderr, b"a hook denies it\n");
}

#[test]
fn an_input_that_is_as_it_was_is_no_rewrite() {
    for payload in [fixture!("PreToolUse"), fixture!("PreToolUse.Bash")] {
        let event = recorded(payload);
        let input = event.tool.as_ref().map(|tool| tool.input.clone());
        assert_eq!(
            answer(&Codex, &event, FittedParts { input, ..FittedParts::default() }),
            Ok(Answer::default())
        );
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
            let Ok(answer) = answer(&Codex, &event, parts) else { continue };
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
        let read: Value = serde_json::from_slice(&answer(&Codex, &event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"systemMessage": message, "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
            "additionalContext": context}}));
    }
}
