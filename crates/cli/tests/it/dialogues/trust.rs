//! `tenter trust`: what a project would run, and the yes it takes.

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
    Dialogue::on(world)
}

#[test]
fn trust_shows_what_would_run_and_what_changed_since() {
    let dialogue = project(HOOKS)
        .says(&["hooks", "list"])
        .says(&["trust"])
        .says(&["trust", "--yes"])
        .says(&["trust"])
        .meanwhile("somebody changes the guard", |world| {
            fs::write(world.project().join(".tenter/guard.sh"), "#!/bin/sh\ntrue\nexit 0\n").unwrap();
        })
        .says(&["trust", "show"])
        .says(&["trust", "--yes"])
        .says(&["audit", "show"])
        .says(&["explain", "1"])
        .says(&["trust", "revoke"])
        .says(&["trust", "revoke"])
        .says(&["trust", "show", "--json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn what_cannot_be_pinned_is_shown_and_refused_where_nobody_can_agree() {
    let make = "version: 1\nhooks:\n  tool:post:\n    - { name: test, command: \"make test\" }\n";
    assert_dialogue!(project(make).says(&["trust", "--yes"]).says(&["trust", "--pin", "abc"]));
}

#[test]
fn where_there_is_no_project_there_is_nothing_to_trust() {
    assert_dialogue!(Dialogue::nowhere().says(&["trust"]).says(&["trust", "show"]));
}

#[test]
fn where_a_project_has_no_hooks_nothing_is_pinned() {
    let dialogue = Dialogue::nowhere()
        .meanwhile("a project without hooks", |world| fs::create_dir(world.project().join(".git")).unwrap())
        .says(&["trust"])
        .says(&["trust", "--pin", "abc"])
        .says(&["trust", "show"])
        .says(&["trust", "show", "--json"]);
    assert_dialogue!(dialogue);
}
