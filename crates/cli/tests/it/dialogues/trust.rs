//! `tenter trust`: the hooks of a project, and their approval.

use std::fs;

use super::{Dialogue, assert_dialogue};
use crate::world::World;

const HOOKS: &str = "version: 1
hooks:
  tool:pre:
    - { name: guard, script: guard.sh, on_failure: deny }
  tool:post:
    - { name: lint, command: \"ruff check {tool.path}\", inherit_env: [RUFF_CACHE] }
";

fn project(hooks: &str) -> Dialogue {
    let world = World::new();
    let folder = world.project().join(".tenter");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.yaml"), hooks).unwrap();
    fs::write(folder.join("guard.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    Dialogue::in_world(world)
}

#[test]
fn trust_shows_hooks_and_changes() {
    let dialogue = project(HOOKS)
        .run(&["hooks", "list"])
        .run(&["trust"])
        .run(&["trust", "--yes"])
        .run(&["trust"])
        .step("another program changes the guard", |world| {
            fs::write(world.project().join(".tenter/guard.sh"), "#!/bin/sh\ntrue\nexit 0\n").unwrap();
        })
        .run(&["trust", "show"])
        .run(&["trust", "--yes"])
        .run(&["audit", "show"])
        .run(&["explain", "1"])
        .run(&["trust", "revoke"])
        .run(&["trust", "revoke"])
        .run(&["trust", "show", "--json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn unpinnable_hook_is_refused() {
    let make = "version: 1\nhooks:\n  tool:post:\n    - { name: test, command: \"make test\" }\n";
    assert_dialogue!(project(make).run(&["trust", "--yes"]).run(&["trust", "--pin", "abc"]));
}

#[test]
fn trust_needs_a_project() {
    assert_dialogue!(Dialogue::new().run(&["trust"]).run(&["trust", "show"]));
}

#[test]
fn project_without_hooks_pins_nothing() {
    let dialogue = Dialogue::new()
        .step("a project without hooks", |world| fs::create_dir(world.project().join(".git")).unwrap())
        .run(&["trust"])
        .run(&["trust", "--pin", "abc"])
        .run(&["trust", "show"])
        .run(&["trust", "show", "--json"]);
    assert_dialogue!(dialogue);
}
