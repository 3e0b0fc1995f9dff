//! `tenter import`: conversion of foreign hooks, and its report.

use std::fs;

use super::{Dialogue, assert_dialogue};
use crate::world::World;

const SETTINGS: &str = r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        { "type": "command", "command": "./guard.sh", "timeout": 10 },
        { "type": "prompt", "prompt": "Is this safe?" }
      ] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "notify-send done &", "statusMessage": "Bye" }] }]
  }
}
"#;

const CONTEXT: &str =
    r#"{ "hooks": { "per_prompt": [ { "name": "git-status", "command": "!git status --short" } ] } }"#;

fn with(files: &[(&str, &str)]) -> Dialogue {
    let world = World::new();
    for (name, text) in files {
        fs::write(world.project().join(name), text).unwrap();
    }
    Dialogue::in_world(world)
}

/// A lost guard is named in the report and at its position in the file.
#[test]
fn hook_with_invalid_matcher_is_reported() {
    let settings = r#"{"hooks":{"PreToolUse":[
  {"matcher":"^(Read","hooks":[{"type":"command","command":"guard"}]},
  {"matcher":"(?<!Multi)Edit","hooks":[{"type":"command","command":"judge"}]},
  {"matcher":"Bash","hooks":[{"type":"command","command":"look"}]}]}}"#;
    let dialogue = Dialogue::new()
        .step("settings with a bad matcher and a look-behind", |world| {
            fs::write(world.project().join("settings.json"), settings).unwrap();
        })
        .run(&["import", "--from", "claude", "settings.json", "--write"]);
    let file = fs::read_to_string(dialogue.world.config().join("tenter/hooks.yaml")).unwrap();
    insta::assert_snapshot!(format!("{}---\n{file}---\n", dialogue.text));
}

#[test]
fn import_prints_hook_file_and_report() {
    assert_dialogue!(with(&[("settings.json", SETTINGS)]).run(&[
        "import",
        "--from",
        "claude",
        "settings.json"
    ]));
}

#[test]
fn import_detects_formats_and_overwrites_nothing() {
    let dialogue = with(&[("context.json", CONTEXT)])
        .run(&["import", "context.json", "--write"])
        .run(&["hooks", "list"])
        .run(&["hooks", "show", "git-status"])
        .run(&["import", "context.json", "--write"])
        .run(&["import", "context.json", "--out", "context.json"])
        .run(&["import", "context.json", "--out", "mine/hooks.yaml", "--json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn import_explains_unknown_formats() {
    let dialogue = with(&[
        ("ours.yaml", "version: 1\nhooks: {}\n"),
        ("other.json", "{\"scripts\": {}}"),
        ("broken.json", "{"),
        ("context.json", CONTEXT),
        ("context.txt", CONTEXT),
    ])
    .run(&["import", "missing.json"])
    .run(&["import", "ours.yaml"])
    .run(&["import", "other.json"])
    .run(&["import", "broken.json"])
    .run(&["import", "context.txt"])
    .run(&["import", "--from", "massgen", "context.json"])
    .run(&["import", "--from", "cursor", "context.json"])
    .run(&["import", "."]);
    assert_dialogue!(dialogue);
}

#[test]
fn foreign_file_loads_directly_and_through_imports() {
    let world = World::new();
    world.write_settings(SETTINGS);
    world.write_hooks("json", CONTEXT);
    let dialogue = Dialogue::in_world(world)
        .run(&["hooks", "list"])
        .step("the hook file is one of ours that imports both", |world| {
            let folder = world.config().join("tenter");
            fs::rename(folder.join("hooks.json"), folder.join("q.json")).unwrap();
            let text = "version: 1\nimports:\n  - q.json\n  - { from: claude, file: ~/.claude/settings.json, agents: [\"!claude\"] }\n";
            world.write_hooks("yaml", text);
        })
        .run(&["hooks", "list"])
        .run(&["hooks", "show", "claude-PreToolUse-1"]);
    assert_dialogue!(dialogue);
}
