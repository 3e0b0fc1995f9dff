//! Examples in an agent's hands, beside what their READMEs show (`documents`).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::world::World;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn with(example: &str) -> World {
    World::with_hooks(&fs::read_to_string(folder().join(example)).unwrap())
}

/// What the model reads of the answer.
fn context(world: &World, payload: &Value) -> String {
    world.claude(&payload.to_string()).run().field("/hookSpecificOutput/additionalContext")
}

#[test]
fn the_git_status_is_known_from_the_first_turn_on() {
    let world = with("git-status/hooks.yaml");
    let made = world.sh("git init -q -b main");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    fs::write(world.project().join("config.py"), "").unwrap();
    let payload = json!({
        "hook_event_name": "SessionStart", "session_id": "s1", "cwd": world.project(), "source": "startup",
    });
    let told = context(&world, &payload);
    assert!(told.contains("Git status: branch main\n1 changed file in "), "{told}");
    assert!(told.contains("?? config.py"), "{told}");
}

#[test]
fn what_the_linter_finds_is_known_in_the_same_turn() {
    let world = with("linter-feedback/hooks.yaml");
    let found = world.sh(
        r#"mkdir -p .venv/bin; cd .venv/bin
        printf '#!/bin/sh\nfor last in "$@"; do :; done\necho "$last:42:80: E501 line too long"; exit 1\n' >ruff
        chmod 755 ruff"#,
    );
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    fs::write(world.project().join("config.py"), "x = 1\n").unwrap();
    let payload = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": world.project(), "tool_use_id": "t1",
        "tool_name": "Write", "tool_input": { "file_path": world.project().join("config.py"), "content": "x = 1\n" },
        "tool_response": { "type": "create" },
    });
    let told = context(&world, &payload);
    assert!(
        told.contains("ruff found problems in config.py:\nconfig.py:42:80: E501 line too long"),
        "{told}"
    );
}
