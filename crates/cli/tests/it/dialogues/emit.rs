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

/// In a real terminal, which `script` makes; without one nothing of it is written.
#[test]
#[cfg(target_os = "linux")]
fn progress_is_shown_on_a_terminal_and_only_there() {
    let world = crate::world::World::with_hooks(
        r#"version: 1
hooks:
  deploy:started:
    - { name: one, command: "true", parallel: true }
    - { name: two, command: "true", parallel: true }
    - { name: three, command: "true", parallel: true }
"#,
    );
    let tenter = env!("CARGO_BIN_EXE_tenter");
    let shown =
        world.sh(&format!("echo '{{}}' > data; script -qec '{tenter} emit deploy:started < data' /dev/null"));
    for line in ["\r1 of 3 hooks finished\x1b[K", "\r2 of 3 hooks finished\x1b[K", "\r\x1b[K"] {
        assert!(shown.stdout.contains(line), "{line:?} in {shown:?}");
    }
    let piped = world.sh(&format!("{tenter} emit deploy:started < data"));
    assert_eq!(piped.stderr, "");
    assert!(!piped.stdout.contains("finished"), "{piped:?}");
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
