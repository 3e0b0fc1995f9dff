//! `tenter prove`: a real agent put to the proof. Here the agent is a stand-in that does what Claude Code
//! does with hooks, or leaves something out.

mod stand_in;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex_lite::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Dialogue, assert_dialogue};
use crate::placeholders::steady;
use crate::world::World;

/// A program for `--agent-path`.
fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("agent");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// What somebody sees who puts this agent to the proof.
fn proof(script: &str) -> Dialogue {
    let mut dialogue = Dialogue::nowhere()
        .meanwhile("an agent", |world: &World| drop(program(&world.project(), script)))
        .says(&["prove", "claude", "--agent-path", "agent"]);
    // Whether the network can be cut off is up to the machine, and so are the times.
    for (what, placeholder) in [
        (r"network: .*(\n    .*)*", "network: {network}"),
        (r"  \d+\.\d\n", "  0.0\n"),
        (r"\b\d+\.\d s", "0.0 s"),
    ] {
        dialogue.text = Regex::new(what).unwrap().replace_all(&dialogue.text, placeholder).into_owned();
    }
    dialogue
}

#[test]
fn an_agent_that_heeds_its_hooks_is_proven() {
    assert_dialogue!(proof(&stand_in::script("heeds")));
}

#[test]
fn an_agent_that_calls_hooks_and_ignores_them_is_found() {
    assert_dialogue!(proof(&stand_in::script("ignores")));
}

#[test]
fn an_agent_that_calls_no_hook_is_found_with_its_last_words() {
    assert_dialogue!(proof("echo 'hooks are disabled by policy' >&2; exit 7"));
}

#[test]
fn an_agent_that_is_not_there_is_told() {
    let dialogue = Dialogue::nowhere()
        .says(&["prove", "claude", "--agent-path", "missing"])
        .says(&["prove", "cluade"])
        .says(&["prove", "cursor"])
        .says(&["prove", "claude", "claude", "--agent-path", "missing"])
        .says(&["prove", "--agent-path", "missing"]);
    assert_dialogue!(dialogue);
}

#[test]
fn where_no_agent_is_on_the_path_it_is_said_which_can_be_proven_and_how_one_gets_them() {
    let world = World::new();
    for (words, said) in [
        (&["prove"][..], "  codex     Codex CLI    npm install --global @openai/codex\n"),
        (&["prove", "gemini"], "hint: install it with `npm install --global @google/gemini-cli`, "),
    ] {
        let ran = world.tenter(words).env("PATH", world.home()).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn json_says_the_same() {
    let world = World::new();
    program(&world.project(), &stand_in::script("heeds"));
    let proof = world.tenter(&["prove", "claude", "--agent-path", "agent", "--json"]).run().answer();
    assert_eq!(proof["proven"], true, "{proof:#}");
    assert_eq!(proof["events"].as_array().unwrap().len(), 5);
}

/// The proof is made in a home of its own: what stands in the user's own settings is told beside it.
#[test]
fn the_users_own_settings_are_looked_at_and_not_touched() {
    let world = World::new();
    program(&world.project(), &stand_in::script("heeds"));
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
    let installed = fs::read_to_string(world.settings()).unwrap();
    let entry = |command: &str| {
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
    };
    let hook = env!("CARGO_BIN_EXE_tenter-hook");
    let path = "{home}/.claude/settings.json";
    let init = "`tenter init claude`";
    for (settings, code, result, told) in [
        (
            installed.clone(),
            0,
            "installed",
            format!("installed, and it is the program that was proven ({path})"),
        ),
        (
            "{}".to_owned(),
            0,
            "not_installed",
            format!("tenter is not installed there; run {init} to install it"),
        ),
        (
            installed.replacen('{', "{\n  // mine", 1),
            1,
            "not_effective",
            format!(
                "NOT EFFECTIVE: {path}: Claude Code reads nothing of this file, and runs no hook of it, because it is not strict JSON: take the comment or the comma at the end of a list out of line 2"
            ),
        ),
        (
            entry("/old/tenter-hook claude"),
            1,
            "not_effective",
            format!("NOT EFFECTIVE: {path} calls /old/tenter-hook, which does not exist; run {init}"),
        ),
        (
            "{".to_owned(),
            1,
            "not_effective",
            format!("NOT EFFECTIVE: {path} cannot be read: it is not JSON: "),
        ),
        (
            entry(&format!("{} hook claude", env!("CARGO_BIN_EXE_tenter"))),
            0,
            "differs",
            format!("not what was proven: {path} calls {{tenter}}; run {init} to call {{tenter}}-hook"),
        ),
        (
            entry(&format!("{hook} claude")),
            0,
            "differs",
            format!("not what was proven: {path} does not call tenter at session:start, "),
        ),
        (
            installed.replace("--within 600s", "--within 9s"),
            0,
            "differs",
            format!("not what was proven: {path} calls the same program with another line at SessionStart"),
        ),
    ] {
        world.write_settings(&settings);
        let ran = world.tenter(&["prove", "claude", "--agent-path", "agent"]).run();
        let said = steady(&ran.stdout, &world);
        assert!(said.contains("Every hook ran and had its effect"), "{said}");
        assert!(said.contains(&format!("\nyour own settings: {told}")), "{told}\n{said}");
        assert_eq!(ran.code, Some(code), "{said}");
        let ran = world.tenter(&["prove", "claude", "--agent-path", "agent", "--json"]).run();
        let proof: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.code, &proof["own_settings"]["result"]), (Some(code), &json!(result)), "{proof:#}");
        assert_eq!(proof["proven"], true);
        assert_eq!(fs::read_to_string(world.settings()).unwrap(), settings);
    }
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let told = folder.path().join("told");
    let fifo = told.display();
    assert!(Command::new("mkfifo").arg(&told).status().unwrap().success());
    let agent = program(
        folder.path(),
        &format!("[ \"$1\" = --version ] && exit\necho $$ > '{fifo}'\nexec sleep 600"),
    );
    let mut tenter = Command::new(env!("CARGO_BIN_EXE_tenter"))
        .args(["prove", "claude", "--agent-path"])
        .arg(agent)
        .env("TMPDIR", &temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pid = String::new();
    BufReader::new(fs::File::open(&told).unwrap()).read_line(&mut pid).unwrap();
    let kill = |arguments: &str| {
        Command::new("/bin/sh").args(["-c", &format!("kill {arguments} 2>/dev/null")]).status().unwrap()
    };
    assert!(kill(&format!("-INT {}", tenter.id())).success());
    let mut said = String::new();
    tenter.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(tenter.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("the agent was interrupted"), "{said}");
    assert!(!kill(&format!("-0 {}", pid.trim())).success(), "the agent is still there");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "the folder is still there");
}
