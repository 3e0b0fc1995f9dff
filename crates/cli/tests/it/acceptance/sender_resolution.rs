//! A payload that arrives through another agent's settings file is judged exactly once.

use std::fs;

use serde_json::{Value, json};

use super::duplicate_entries::lines;
use crate::records;
use crate::world::{World, bash};

pub(super) const GUARD: &str =
    "version: 1\nhooks: { tool:pre: [ { name: no-ls, matcher: 'Bash(ls)', deny: 'No.' } ] }\n";

/// A call as Gemini CLI sends it.
fn gemini_call(world: &World) -> String {
    json!({
        "session_id": "g1", "hook_event_name": "BeforeTool", "cwd": world.project(),
        "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "run_shell_command",
        "tool_input": {"command": "ls"},
    })
    .to_string()
}

pub(super) fn agents(world: &World) -> Vec<Value> {
    records::read(world).iter().map(|record| record["agent"].clone()).collect()
}

fn init_gemini(world: &World, options: &[&str]) {
    let ran = world.tenter(&[&["init", "gemini", "--allow-build-path"], options].concat()).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Prepares a machine.
type SetUp = fn(&World);

/// Installs tenter for Gemini CLI and edits the settings afterwards.
fn edit(world: &World, change: impl Fn(&str) -> String) {
    init_gemini(world, &[]);
    let path = world.home().join(".gemini/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    assert_ne!(change(&text), text);
    fs::write(path, change(&text)).unwrap();
}

#[test]
fn own_entry_answers_instead_of_foreign_entry() {
    let world = World::with_hooks(GUARD);
    init_gemini(&world, &[]);
    let here = world.claude(&gemini_call(&world)).run();
    assert_eq!((here.code, here.stdout.as_str(), here.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(agents(&world), Vec::<Value>::new(), "nothing happened, so nothing is recorded");
    let there = world.hook("gemini", &gemini_call(&world)).run();
    assert_eq!(there.answer()["decision"], "deny");
    assert_eq!(agents(&world), ["gemini"]);
}

/// A project file can come from anyone, so it must not silence the user's entry.
#[test]
fn project_entry_silences_no_user_entry() {
    let world = World::with_hooks(GUARD);
    init_gemini(&world, &["--scope", "project"]);
    let here = world.claude(&gemini_call(&world)).run();
    assert_eq!(here.answer()["decision"], "deny");
}

#[test]
fn foreign_entry_answers_in_the_senders_format() {
    let setups: [(&str, SetUp); 5] = [
        ("nothing", |_| {}),
        ("another event", |world| edit(world, |text| text.replace("BeforeTool", "BeforeModel"))),
        ("the program is gone", |world| {
            edit(world, |text| text.replace(env!("CARGO_BIN_EXE_tenter"), "/nowhere/tenter"));
        }),
        ("unreadable settings", |world| edit(world, |_| "{".to_owned())),
        ("an entry for another agent", |world| {
            edit(world, |text| text.replace("' gemini", "' claude"));
        }),
    ];
    for (what, set_up) in setups {
        let world = World::with_hooks(GUARD);
        set_up(&world);
        let ran = world.claude(&gemini_call(&world)).run();
        assert_eq!(ran.answer()["decision"], "deny", "{what}: {ran:?}");
        assert_eq!(agents(&world), ["gemini"], "{what}");
    }
}

/// If a command of Claude Code starts Gemini CLI, the variables of both agents are set.
#[test]
fn inherited_variables_do_not_change_sender() {
    let world = World::with_hooks(GUARD);
    let ran = world.hook("gemini", &gemini_call(&world)).env("CLAUDECODE", "1").run();
    assert_eq!(ran.answer()["decision"], "deny", "{ran:?}");
    let ran = world.claude(&bash("ls")).env("GEMINI_SESSION_ID", "g1").run();
    assert_eq!(ran.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{ran:?}");
    assert_eq!(agents(&world), ["gemini", "claude"]);
}

/// A prompt as Copilot CLI and VS Code send it, the latter with the path of a transcript.
fn prompt(world: &World, vs_code: bool) -> String {
    let mut payload = json!({
        "session_id": "c1", "hook_event_name": "UserPromptSubmit", "cwd": world.project(),
        "timestamp": "2026-01-01T00:00:00.000Z", "prompt": "Hello.",
    });
    if vs_code {
        payload["transcript_path"] = json!("/t.jsonl");
    }
    payload.to_string()
}

const COUNTED: &str =
    "version: 1\nhooks: { prompt:submit: [ { name: counted, command: 'echo ran >> counter' } ] }\n";

fn init_copilot(world: &World, options: &[&str]) {
    let ran =
        world.tenter(&[&["init", "copilot", "--allow-build-path", "--no-protect"], options].concat()).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Copilot CLI's calls have no id, and it runs both the user's and the repository's entries.
#[test]
fn copilot_event_from_two_scopes_runs_once() {
    for (broken, vs_code, runs) in [
        ("nothing", false, 1),
        ("nothing", true, 1),
        ("the user's program is gone", false, 1),
        ("the user's file is not strict JSON", false, 2),
        ("the user's entries take another hook file", false, 2),
    ] {
        let world = World::with_hooks(COUNTED);
        init_copilot(&world, &[]);
        init_copilot(&world, &["--scope", "project"]);
        let users = world.home().join(".copilot/hooks/tenter.json");
        let projects = world.project().join(".github/hooks/tenter.json");
        let text = fs::read_to_string(&users).unwrap();
        let program = format!("{}-hook", env!("CARGO_BIN_EXE_tenter"));
        let changed = match broken {
            "the user's program is gone" => text.replace(&program, "/nowhere/tenter-hook"),
            "the user's file is not strict JSON" => format!("// mine\n{text}"),
            "the user's entries take another hook file" => {
                let own = world.project().join("own.yaml");
                fs::write(&own, COUNTED).unwrap();
                text.replace(" --within 60s", &format!(" --config {} --within 60s", own.display()))
            }
            _ => text.clone(),
        };
        fs::write(&users, changed).unwrap();
        let lines = [&users, &projects].map(|file| lines("copilot", file, "UserPromptSubmit"));
        assert_eq!(lines.each_ref().map(Vec::len), [1, 1], "{broken}");
        for line in lines.iter().flatten() {
            let ran = world.sh_with(line, &prompt(&world, vs_code));
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{broken}: {ran:?}");
        }
        let counted = fs::read_to_string(world.project().join("counter")).unwrap_or_default();
        assert_eq!(counted.lines().count(), runs, "{broken}, VS Code: {vs_code}");
    }
}

/// The repository's file guards users without an entry of their own, also after they remove it.
#[test]
fn repository_entries_answer_without_user_entries() {
    let world = World::with_hooks(COUNTED);
    init_copilot(&world, &["--scope", "project"]);
    let line = &lines("copilot", &world.project().join(".github/hooks/tenter.json"), "UserPromptSubmit")[0];
    assert!(line.ends_with(" --within 60s --scope project"), "{line}");
    world.sh_with(line, &prompt(&world, false));
    init_copilot(&world, &[]);
    assert_eq!(world.tenter(&["uninstall", "copilot"]).run().code, Some(0));
    world.sh_with(line, &prompt(&world, false).replace("Hello", "Bye"));
    assert_eq!(fs::read_to_string(world.project().join("counter")).unwrap(), "ran\nran\n");
}
