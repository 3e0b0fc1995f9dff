//! A payload that comes through another agent's settings file is judged once, and never by nobody.

use std::fs;

use serde_json::{Value, json};

use crate::records;
use crate::world::{World, bash};

const GUARD: &str =
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

fn agents(world: &World) -> Vec<Value> {
    records::read(world).iter().map(|record| record["agent"].clone()).collect()
}

fn init_gemini(world: &World, options: &[&str]) {
    let ran = world.tenter(&[&["init", "gemini", "--allow-build-path"], options].concat()).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// What was done on a machine before.
type SetUp = fn(&World);

/// Installs, and then somebody changes the settings.
fn edit(world: &World, change: impl Fn(&str) -> String) {
    init_gemini(world, &[]);
    let path = world.home().join(".gemini/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    assert_ne!(change(&text), text);
    fs::write(path, change(&text)).unwrap();
}

#[test]
fn an_agent_that_has_an_entry_of_its_own_is_answered_there_and_not_here() {
    for options in [&[][..], &["--scope", "project"]] {
        let world = World::with_hooks(GUARD);
        init_gemini(&world, options);
        let here = world.claude(&gemini_call(&world)).run();
        assert_eq!((here.code, here.stdout.as_str(), here.stderr.as_str()), (Some(0), "", ""), "{options:?}");
        assert_eq!(agents(&world), Vec::<Value>::new(), "nothing happened, so nothing is recorded");
        let there = world.hook("gemini", &gemini_call(&world)).run();
        assert_eq!(there.answer()["decision"], "deny");
        assert_eq!(agents(&world), ["gemini"]);
    }
}

#[test]
fn an_agent_without_an_entry_that_works_at_this_event_is_answered_here_in_its_own_form() {
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

/// Gemini CLI, started by a command of Claude Code, has the variables of both.
#[test]
fn inherited_variables_do_not_change_who_calls() {
    let world = World::with_hooks(GUARD);
    let ran = world.hook("gemini", &gemini_call(&world)).env("CLAUDECODE", "1").run();
    assert_eq!(ran.answer()["decision"], "deny", "{ran:?}");
    let ran = world.claude(&bash("ls")).env("GEMINI_SESSION_ID", "g1").run();
    assert_eq!(ran.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{ran:?}");
    assert_eq!(agents(&world), ["gemini", "claude"]);
}
