//! A pipe in place of one of tenter's files blocks nothing: guards deny and commands end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  session:start:
    - { name: start, builtin: memory.session_start }
  prompt:submit:
    - { name: recall, builtin: memory.recall }
  tool:pre:
    - { name: guard, matcher: "Bash(rm)", deny: "no" }
    - { name: sure, matcher: "Bash(mv)", ask: "Run {tool.command}?" }
    - { name: count, matcher: "*", builtin: memory.check_in }
    - { name: cached, matcher: Bash, cache: 1h, command: "true" }
    - { name: sometimes, matcher: Bash, every: 3, command: "true" }
    - { name: text, matcher: Bash, inject: "text" }
  tool:post:
    - { name: outcome, matcher: Bash, builtin: memory.outcome }
"#;

fn event(world: &World, name: &str) -> String {
    let (prompt, source) = ("hello", "startup");
    json!({"session_id": "s1", "hook_event_name": name, "cwd": world.project(), "prompt": prompt, "source": source})
        .to_string()
}

fn use_everything(world: &World) {
    for name in ["SessionStart", "UserPromptSubmit"] {
        assert_eq!(world.claude(&event(world, name)).run().code, Some(0));
    }
    for (id, command) in ["ls", "mv a b", "cargo test"].into_iter().enumerate() {
        assert_eq!(world.claude(&bash(command).replace("toolu_1", &format!("t{id}"))).run().code, Some(0));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Calls this with a pipe in the place of a file.
fn with_pipe(path: &Path, call: impl FnOnce()) {
    let kept = path.with_file_name("kept-for-later");
    // A damaged trail is quarantined with the files next to it.
    if fs::rename(path, &kept).is_err() {
        return;
    }
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    call();
    let _ = fs::remove_file(path);
    let _ = fs::rename(&kept, path);
}

#[test]
fn pipe_in_place_of_file_blocks_nothing() {
    let world = World::with_hooks(HOOKS);
    use_everything(&world);
    let all = files(&world.state());
    let has = |name: &str| all.iter().any(|path| path.to_string_lossy().contains(name));
    assert!(has("/cache/hooks-") && has("/audit/trail.jsonl") && has("/memory/"), "{all:?}");
    for (number, path) in
        all.iter().filter(|path| !path.components().any(|part| part.as_os_str() == "agents")).enumerate()
    {
        with_pipe(path, || {
            let denied = world.claude(&bash("rm x").replace("toolu_1", &format!("rm{number}"))).run();
            assert!(denied.stdout.contains("\"deny\""), "{}: {denied:?}", path.display());
            let prompted = world.claude(&event(&world, "UserPromptSubmit")).run();
            assert!(!prompted.stdout.contains("timed out"), "{}: {prompted:?}", path.display());
            let doctor = world.tenter(&["doctor"]).run();
            assert!(doctor.code.is_some(), "{}: {doctor:?}", path.display());
        });
    }
}
