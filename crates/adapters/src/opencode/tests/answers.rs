//! The exact answers to the plugin, event by event. What is refused cannot be said there, and `fit` has to
//! find another way.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, FittedParts, FittedVerdict};

use super::{OPENCODE, fixture, recorded};
use crate::exact_answers::{answer, answers};

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
        insta::assert_snapshot!(format!("answers_{name}"), answers(&OPENCODE, &recorded(payload)));
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
        assert_eq!(
            answer(&OPENCODE, &event, FittedParts { input, ..FittedParts::default() }),
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
        let event = recorded(fixture!("tool-execute-after.bash"));
        let read: Value = serde_json::from_slice(&answer(&OPENCODE, &event, denied).unwrap().stdout).unwrap();
        prop_assert_eq!(read, json!({"decision": "deny", "reason": reason, "additionalContext": context}));
    }
}
