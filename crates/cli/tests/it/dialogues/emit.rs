//! `tenter emit`: hooks for any program.

use super::{Dialogue, assert_dialogue};

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: no-sudo, matcher: "Bash(sudo)", deny: "Ask an administrator." }
  deploy:started:
    - { name: freeze, inject: "There is a freeze until Monday." }
    - { name: tell, message: { text: "Deploying.", level: warning } }
"#;

#[test]
fn an_event_of_ours_or_of_their_own_comes_back_as_an_outcome() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says_with(
            &["emit", "PreToolUse"],
            r#"{"tool": {"name": "Bash", "input": {"command": "sudo reboot"}}}"#,
        )
        .says_with(&["emit", "deploy:started"], r#"{"session_id": "d1", "data": {"to": "staging"}}"#)
        .says(&["emit", "session:end"])
        .says(&["audit", "show"]);
    assert_dialogue!(dialogue);
}

#[test]
fn data_that_is_no_object_is_refused_with_an_example() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says_with(&["emit", "tool:pre"], r#"{"tool": "#)
        .says_with(&["emit", "tool:pre"], r#"["tool"]"#)
        .says_with(&["emit", "tool:pre"], r#"{"tool": {"name": 7}}"#);
    assert_dialogue!(dialogue);
}

#[test]
fn an_event_that_is_none_gets_a_suggestion() {
    let dialogue = Dialogue::nowhere()
        .says_with(&["emit", "tool:pree"], "{}")
        .says_with(&["emit", "PreTolUse"], "{}")
        .says_with(&["emit", "tool:sharpened"], "{}")
        .says_with(&["emit", "deploy"], "{}");
    assert_dialogue!(dialogue);
}
