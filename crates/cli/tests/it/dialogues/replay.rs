//! `tenter replay`: what today's hooks would make of what has happened.

use super::{Dialogue, assert_dialogue};
use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  session:start:
    - { name: notes, run: "!echo notes", once: session }
  tool:pre:
    - { name: no-force-push, matcher: Bash, when: { command: "*--force*" }, deny: "Use --force-with-lease." }
    - { name: sure, matcher: "Bash(rm)", ask: "Run `{tool.command}`?" }
    - { name: lint, matcher: Bash, command: "touch linted; exit 3" }
"#;

fn session() -> Dialogue {
    let world = World::with_hooks(HOOKS);
    let start = r#"{"session_id": "s1", "hook_event_name": "SessionStart", "cwd": "/", "source": "startup"}"#;
    let calls = ["ls", "git push --force", "rm -r build"];
    let calls = calls.iter().zip(["a", "b", "c"]).map(|(command, id)| bash(command).replace("toolu_1", id));
    for payload in [start.to_owned(), start.to_owned()].into_iter().chain(calls) {
        assert_eq!(world.claude(&payload).run().code, Some(0));
    }
    Dialogue::on(world)
}

#[test]
fn as_long_as_no_hook_has_changed_everything_is_as_then() {
    let dialogue = session()
        .says(&["replay", "s1"])
        .says(&["replay", "last"])
        .says(&["replay", "3"])
        .says(&["replay", "s1", "--run"]);
    assert_dialogue!(dialogue);
}

#[test]
fn what_a_changed_hook_would_do_is_shown_event_by_event() {
    let dialogue = session()
        .meanwhile("somebody changes one hook, adds one and removes one", |world| {
            let hooks = HOOKS.replace("*--force*", "*--forced*").replace(
                "sure, matcher: \"Bash(rm)\", ask: \"Run `{tool.command}`?\"",
                "no-listing, matcher: \"Bash(ls)\", deny: \"Look yourself.\"",
            );
            world.write_hooks("yaml", &hooks);
        })
        .says(&["replay", "s1"])
        .says(&["replay", "s1", "--json"])
        .says(&["explain", "6"]);
    assert_dialogue!(dialogue);
}

/// Its word of then is that of another hook.
#[test]
fn a_program_that_has_changed_is_not_taken_at_its_word() {
    let dialogue = session()
        .meanwhile("somebody changes what a hook runs, and when another is asked", |world| {
            let hooks = HOOKS.replace("touch linted; exit 3", "true").replace("once: session", "timeout: 7");
            world.write_hooks("yaml", &hooks);
        })
        .says(&["replay", "4"])
        .says(&["replay", "1"])
        .says(&["replay", "4", "--run"]);
    assert_dialogue!(dialogue);
}

/// As a record looks that was written before the form of the numbers was.
#[test]
fn hooks_that_an_older_tenter_recorded_are_taken_at_their_word_and_that_is_told() {
    let dialogue = session()
        .meanwhile("the records are those of an older tenter", |world| {
            let trail = std::fs::read_to_string(world.trail()).unwrap();
            let older = trail.replace("\"definition\":\"1:", "\"definition\":\"");
            assert_ne!(older, trail);
            std::fs::write(world.trail(), older).unwrap();
        })
        .says(&["replay", "4"]);
    assert_dialogue!(dialogue);
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let dialogue = session()
        .says(&["replay", "5"])
        .says(&["replay", "99"])
        .says(&["replay", "s9"])
        .says(&["replay"])
        .says(&["audit", "show"]);
    assert_dialogue!(dialogue);
}
