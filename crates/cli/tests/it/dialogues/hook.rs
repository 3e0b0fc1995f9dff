//! `tenter hook`: what somebody sees who installed it wrongly. Never exit code 2 for that: agents take it
//! for a deny, and a typo in their settings would freeze them.

use std::path::Path;

use super::{Dialogue, assert_dialogue};
use crate::world::World;

#[test]
fn a_misspelt_agent_is_named_and_stops_nobody() {
    let dialogue = Dialogue::nowhere()
        .says_with(&["hook", "cluade"], "{}")
        .says_with(&["hook", "clippy"], "{}")
        .says_with(&["hook", "claude", "--config"], "{}")
        .says_with(&["hook", "claude", "--confg", "hooks.yaml"], "{}")
        .says_with(&["hook", "claude", "--within", "soon"], "{}")
        .says_with(&["hook", "claude", "--within", "5h"], "{}")
        .says_with(&["hook"], "{}");
    assert_dialogue!(dialogue);
}

#[test]
fn an_empty_payload_is_silence_without_a_guard_and_a_refusal_with_one() {
    const GUARD: &str =
        "version: 1\nhooks: { tool:pre: [ { name: guard, command: 'true', on_failure: deny } ] }\n";
    let dialogue = Dialogue::nowhere()
        .says(&["hook", "claude"])
        .meanwhile("a guard is set up", |world| world.write_hooks("yaml", GUARD))
        .says(&["hook", "claude"])
        .says(&["audit", "show"])
        .says(&["explain", "2"]);
    assert_dialogue!(dialogue);
}

#[test]
fn a_hook_file_that_is_not_there_is_told_to_the_user() {
    let payload = crate::world::bash("ls");
    assert_dialogue!(
        Dialogue::nowhere().says_with(&["hook", "claude", "--config", "/nowhere/hooks.yaml"], &payload)
    );
}

/// Help and mistakes are the whole program's to tell, under the name that was typed.
#[test]
fn the_small_program_speaks_of_itself() {
    let world = World::new();
    let said: Vec<String> = [&["--help"][..], &["-h"], &["cluade"], &["claude", "--confg", "x"], &[]]
        .into_iter()
        .map(|arguments| {
            let ran = world.run(Path::new(env!("CARGO_BIN_EXE_tenter-hook")), arguments);
            let code = ran.code.unwrap();
            format!("$ tenter-hook {}\n{}{}(exit code {code})\n", arguments.join(" "), ran.stdout, ran.stderr)
        })
        .collect();
    insta::assert_snapshot!(said.concat());
}
