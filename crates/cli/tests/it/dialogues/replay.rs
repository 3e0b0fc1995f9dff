//! `tenter replay`: past events with the current hooks.

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
    Dialogue::in_world(world)
}

#[test]
fn unchanged_hooks_replay_identically() {
    let dialogue = session()
        .run(&["replay", "s1"])
        .run(&["replay", "last"])
        .run(&["replay", "3"])
        .run(&["replay", "s1", "--run"]);
    assert_dialogue!(dialogue);
}

#[test]
fn changed_hook_shows_differences_by_event() {
    let dialogue = session()
        .step("the user changes one hook, adds one and removes one", |world| {
            let hooks = HOOKS.replace("*--force*", "*--forced*").replace(
                "sure, matcher: \"Bash(rm)\", ask: \"Run `{tool.command}`?\"",
                "no-listing, matcher: \"Bash(ls)\", deny: \"Look yourself.\"",
            );
            world.write_hooks("yaml", &hooks);
        })
        .run(&["replay", "s1"])
        .run(&["replay", "s1", "--json"])
        .run(&["explain", "6"]);
    assert_dialogue!(dialogue);
}

/// The recorded reply belongs to the earlier program.
#[test]
fn changed_program_invalidates_its_reply() {
    let dialogue = session()
        .step("the user changes a command and a condition", |world| {
            let hooks = HOOKS.replace("touch linted; exit 3", "true").replace("once: session", "timeout: 7");
            world.write_hooks("yaml", &hooks);
        })
        .run(&["replay", "4"])
        .run(&["replay", "1"])
        .run(&["replay", "4", "--run"]);
    assert_dialogue!(dialogue);
}

/// The format of older records.
#[test]
fn older_records_replay_with_a_notice() {
    let dialogue = session()
        .step("the records are those of an older tenter", |world| {
            let trail = std::fs::read_to_string(world.trail()).unwrap();
            let older = trail.replace("\"definition\":\"1:", "\"definition\":\"");
            assert_ne!(older, trail);
            std::fs::write(world.trail(), older).unwrap();
        })
        .run(&["replay", "4"]);
    assert_dialogue!(dialogue);
}

#[test]
fn replay_explains_unusable_records() {
    let dialogue = session()
        .run(&["replay", "5"])
        .run(&["replay", "99"])
        .run(&["replay", "s9"])
        .run(&["replay"])
        .run(&["audit", "show"]);
    assert_dialogue!(dialogue);
}
