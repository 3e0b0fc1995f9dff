//! Examples with an agent; `documents` runs their READMEs.

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

/// The context in the answer.
fn context(world: &World, payload: &Value) -> String {
    world.claude(&payload.to_string()).run().field("/hookSpecificOutput/additionalContext")
}

#[test]
fn first_turn_has_the_git_status() {
    let world = with("git-status/hooks.yaml");
    let made = world.sh("git init -q -b main");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    fs::write(world.project().join("config.py"), "").unwrap();
    let payload = json!({
        "hook_event_name": "SessionStart", "session_id": "s1", "cwd": world.project(), "source": "startup",
    });
    let injected = context(&world, &payload);
    assert!(injected.contains("Git status: branch main\n1 changed file in "), "{injected}");
    assert!(injected.contains("?? config.py"), "{injected}");
}

#[test]
fn same_turn_has_linter_findings() {
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
    let injected = context(&world, &payload);
    assert!(
        injected.contains("ruff found problems in config.py:\nconfig.py:42:80: E501 line too long"),
        "{injected}"
    );
}
