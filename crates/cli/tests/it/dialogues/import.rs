//! `tenter import`: another system's hooks as ours, and what is said about them.

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
    Dialogue::on(world)
}

/// A guard that is lost must be missed: in the report, and in the file where it would have stood.
#[test]
fn a_hook_whose_matcher_cannot_be_used_is_loudly_not_kept() {
    let settings = r#"{"hooks":{"PreToolUse":[
  {"matcher":"^(Read","hooks":[{"type":"command","command":"guard"}]},
  {"matcher":"(?<!Multi)Edit","hooks":[{"type":"command","command":"judge"}]},
  {"matcher":"Bash","hooks":[{"type":"command","command":"look"}]}]}}"#;
    let dialogue = Dialogue::nowhere()
        .meanwhile("settings with a bad matcher and a look-behind", |world| {
            fs::write(world.project().join("settings.json"), settings).unwrap();
        })
        .says(&["import", "--from", "claude", "settings.json", "--write"]);
    let file = fs::read_to_string(dialogue.world.config().join("tenter/hooks.yaml")).unwrap();
    insta::assert_snapshot!(format!("{}---\n{file}---\n", dialogue.text));
}

#[test]
fn import_prints_a_hook_file_and_reports_beside_it() {
    assert_dialogue!(with(&[("settings.json", SETTINGS)]).says(&[
        "import",
        "--from",
        "claude",
        "settings.json"
    ]));
}

#[test]
fn import_recognises_the_form_and_writes_where_nothing_is_written_over() {
    let dialogue = with(&[("context.json", CONTEXT)])
        .says(&["import", "context.json", "--write"])
        .says(&["hooks", "list"])
        .says(&["hooks", "show", "git-status"])
        .says(&["import", "context.json", "--write"])
        .says(&["import", "context.json", "--out", "context.json"])
        .says(&["import", "context.json", "--out", "mine/hooks.yaml", "--json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn import_of_what_is_none_says_why() {
    let dialogue = with(&[
        ("ours.yaml", "version: 1\nhooks: {}\n"),
        ("other.json", "{\"scripts\": {}}"),
        ("broken.json", "{"),
        ("context.json", CONTEXT),
        ("context.txt", CONTEXT),
    ])
    .says(&["import", "missing.json"])
    .says(&["import", "ours.yaml"])
    .says(&["import", "other.json"])
    .says(&["import", "broken.json"])
    .says(&["import", "context.txt"])
    .says(&["import", "--from", "massgen", "context.json"])
    .says(&["import", "--from", "cursor", "context.json"])
    .says(&["import", "."]);
    assert_dialogue!(dialogue);
}

#[test]
fn a_file_of_another_system_is_read_in_place_and_through_imports() {
    let world = World::new();
    world.write_settings(SETTINGS);
    world.write_hooks("json", CONTEXT);
    let dialogue = Dialogue::on(world)
        .says(&["hooks", "list"])
        .meanwhile("the hook file is one of ours that imports both", |world| {
            let folder = world.config().join("tenter");
            fs::rename(folder.join("hooks.json"), folder.join("q.json")).unwrap();
            let text = "version: 1\nimports:\n  - q.json\n  - { from: claude, file: ~/.claude/settings.json, agents: [\"!claude\"] }\n";
            world.write_hooks("yaml", text);
        })
        .says(&["hooks", "list"])
        .says(&["hooks", "show", "claude-PreToolUse-1"]);
    assert_dialogue!(dialogue);
}
