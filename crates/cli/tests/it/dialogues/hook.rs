//! `tenter hook` after a wrong installation. The exit code is never 2, which agents read
//! as a deny: a typo in their settings would block every call.

use std::path::Path;

use super::{Dialogue, assert_dialogue};
use crate::world::World;

#[test]
fn misspelt_agent_is_named_without_blocking() {
    let dialogue = Dialogue::new()
        .run_with_stdin(&["hook", "cluade"], "{}")
        .run_with_stdin(&["hook", "clippy"], "{}")
        .run_with_stdin(&["hook", "claude", "--config"], "{}")
        .run_with_stdin(&["hook", "claude", "--confg", "hooks.yaml"], "{}")
        .run_with_stdin(&["hook", "claude", "--within", "soon"], "{}")
        .run_with_stdin(&["hook", "claude", "--within", "5h"], "{}")
        .run_with_stdin(&["hook"], "{}");
    assert_dialogue!(dialogue);
}

#[test]
fn only_guards_refuse_an_empty_payload() {
    const GUARD: &str =
        "version: 1\nhooks: { tool:pre: [ { name: guard, command: 'true', on_failure: deny } ] }\n";
    let dialogue = Dialogue::new()
        .run(&["hook", "claude"])
        .step("a guard is set up", |world| world.write_hooks("yaml", GUARD))
        .run(&["hook", "claude"])
        .run(&["audit", "show"])
        .run(&["explain", "2"]);
    assert_dialogue!(dialogue);
}

#[test]
fn missing_hook_file_notifies_the_user() {
    let payload = crate::world::bash("ls");
    assert_dialogue!(
        Dialogue::new().run_with_stdin(&["hook", "claude", "--config", "/nowhere/hooks.yaml"], &payload)
    );
}

/// The full binary prints help and usage errors under the typed name.
#[test]
fn small_binary_describes_itself() {
    let world = World::new();
    let output: Vec<String> = [&["--help"][..], &["-h"], &["cluade"], &["claude", "--confg", "x"], &[]]
        .into_iter()
        .map(|arguments| {
            let ran = world.run(Path::new(env!("CARGO_BIN_EXE_tenter-hook")), arguments);
            let code = ran.code.unwrap();
            format!("$ tenter-hook {}\n{}{}(exit code {code})\n", arguments.join(" "), ran.stdout, ran.stderr)
        })
        .collect();
    insta::assert_snapshot!(output.concat());
}
