//! `tenter hooks accept`: prompts and accepted changes.

use std::fs;

use crate::terminal::{Terminal, side};
use crate::world::{World, after, bash, event};

const GUARD: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, deny: \"not now\" }\n";

/// A machine on which an agent changed the hook file and the switches.
fn with_two_changes() -> World {
    let world = World::with_hooks(GUARD);
    world.claude(&event("UserPromptSubmit")).run();
    world.claude(&bash("true")).run();
    fs::write(world.config().join("tenter/hooks.yaml"), "# nothing\nversion: 1\n").unwrap();
    fs::write(world.state().join("tenter/disabled.json"), "{\"always\": [\"user/guard\"]}\n").unwrap();
    world.claude(&after("true")).run();
    world
}

fn is_guarded(world: &World) -> bool {
    world.claude(&bash("ls").replace("toolu_1", "toolu_2")).run().stdout.contains("not now")
}

#[test]
fn only_yes_accepts_a_change() {
    for (keys, accepted) in
        [("yes\n", true), ("y\n", false), ("\n", false), ("no\n", false), ("\u{4}", false)]
    {
        let world = with_two_changes();
        let (mut terminal, path) = Terminal::open();
        let mut command = world.tenter(&["hooks", "accept"]).command();
        let mut process = command.stdin(side(&path)).stdout(side(&path)).stderr(side(&path)).spawn().unwrap();
        terminal.wait_for("Type `yes` to accept these changes: ");
        assert!(terminal.seen.contains("it changed while claude was working"), "{}", terminal.seen);
        assert!(terminal.seen.contains("-    - { name: guard"), "{}", terminal.seen);
        assert!(is_guarded(&world), "nothing counts before the answer");
        terminal.types(keys);
        terminal.wait_for(if accepted { "accepted: " } else { "nothing was accepted" });
        assert_eq!(process.wait().unwrap().code(), Some(i32::from(!accepted)), "{keys:?}: {}", terminal.seen);
        assert_eq!(is_guarded(&world), !accepted, "{keys:?}");
    }
}

#[test]
fn named_change_is_accepted_alone() {
    let world = with_two_changes();
    let switches = world.state().join("tenter/disabled.json");
    let ran = world.tenter(&["hooks", "accept", "--yes", switches.to_str().unwrap()]).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout.matches("accepted: ").count(), 1, "{ran:?}");
    let left = world.tenter(&["hooks", "accept", "--yes"]).run();
    assert!(left.stdout.contains("hooks.yaml") && !left.stdout.contains("disabled.json"), "{left:?}");
}

#[test]
fn no_terminal_accepts_nothing() {
    let world = with_two_changes();
    let ran = world.tenter(&["hooks", "accept"]).run();
    assert!(ran.code != Some(0) && ran.stderr.contains("tenter hooks accept --yes"), "{ran:?}");
    assert!(is_guarded(&world));
    let other = world.tenter(&["hooks", "accept", "--yes", "/no/such/file"]).run();
    assert!(other.stdout.contains("no changes to accept"), "{other:?}");
    assert!(is_guarded(&world));
}
