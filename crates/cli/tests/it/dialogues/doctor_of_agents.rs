//! `tenter doctor` on agents: presence, entries and version.

use std::fs;

use serde_json::Value;

use super::doctor::{bin, doctor};
use crate::world::World;

/// An unreadable settings file is no evidence of an installed agent.
#[test]
fn agent_presence_has_one_row() {
    for agent in ["claude", "gemini", "cursor", "crush"] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        for scope in ["user", "project"] {
            let ran = world.tenter(&["init", agent, "--allow-build-path", "--scope", scope]).run();
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
        let settings = [".claude/settings.json", ".gemini/settings.json", ".cursor/hooks.json"];
        for file in settings.map(|file| world.home().join(file)).iter().filter(|file| file.exists()) {
            fs::write(file, "garbage").unwrap();
        }
        let output = doctor(&world);
        assert_eq!(output.matches("not on PATH").count(), 1, "{agent}: {output}");
    }
}

/// As on the hot path: an event without its own entry arrives through the other agent's.
#[test]
fn only_configured_events_are_left_to_entries() {
    let world = World::new();
    bin(&world, &[("cursor", "echo 2.9.0"), ("grep", "")]);
    for agent in ["cursor", "claude"] {
        assert_eq!(world.tenter(&["init", agent, "--allow-build-path"]).run().code, Some(0));
    }
    let left = "tenter answers only the calls from {home}/.cursor/hooks.json, so that hooks run once";
    let output = doctor(&world);
    assert!(output.contains(&format!("{left}\n")), "{output}");
    let file = world.home().join(".cursor/hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("stop").unwrap();
    fs::write(&file, settings.to_string()).unwrap();
    let output = doctor(&world);
    let as_well = "too, and tenter answers its calls as well, because {home}/.cursor/hooks.json is not as `tenter init`";
    assert!(output.contains(as_well), "{output}");
    fs::write(&file, text.replace(env!("CARGO_BIN_EXE_tenter"), "/gone/tenter")).unwrap();
    let output = doctor(&world);
    assert!(
        output.contains("too, and tenter answers its calls, because {home}/.cursor/hooks.json calls"),
        "{output}"
    );
}

/// Project entries may be hostile: they disable no user entry, and changes to them are reported.
#[test]
fn project_entries_are_reported() {
    let world = World::new();
    bin(&world, &[("cursor", "echo 2.9.0"), ("grep", "")]);
    for options in [&["init", "claude"][..], &["init", "cursor", "--scope", "project"]] {
        let ran = world.tenter(&[options, &["--allow-build-path", "--no-protect"]].concat()).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let answers = "which answers as {project}/.cursor/hooks.json does";
    let output = doctor(&world);
    assert!(output.contains(answers), "{output}");
    let file = world.project().join(".cursor/hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"timeout\": 600", "\"timeout\": 0")).unwrap();
    let output = doctor(&world);
    assert!(output.contains("calls tenter, but not as `tenter init` writes it"), "{output}");
    assert!(output.contains("-> tenter init cursor --scope project"), "{output}");
}

/// Version queries have a time limit and run in parallel.
#[test]
fn slow_version_is_no_problem() {
    let world = World::new();
    bin(&world, &[("claude", "exec /bin/sleep 60"), ("codex", "exec /bin/sleep 60"), ("grep", "")]);
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
    let output = doctor(&world);
    assert_eq!(output.matches("which did not print its version within 2 seconds\n").count(), 2, "{output}");
    assert!(output.contains("no problem found"), "{output}");
}

/// `init` without a name and `doctor` look for agents by one rule: the program, or the folder in the home.
#[test]
fn doctor_and_init_find_the_same_agents() {
    for (folder, title, name) in [
        (".claude", "Claude Code", "claude"),
        (".codex", "Codex CLI", "codex"),
        (".cursor", "Cursor", "cursor"),
        (".vscode", "VS Code", "vscode"),
    ] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        fs::create_dir(world.home().join(folder)).unwrap();
        let is_absent =
            |output: &str| output.lines().any(|line| line.contains(" not here: ") && line.contains(title));
        let output = doctor(&world);
        assert!(!is_absent(&output) && output.contains(&format!("{{home}}/{folder} is there")), "{output}");
        assert!(output.contains(&format!("-> tenter init {name}\n")), "{output}");
        let init = &["init", "--allow-build-path", "--json"];
        let ran = world.tenter(init).env("PATH", world.home().join("bin")).run();
        let all: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(all["agents"][0]["agent"], *name, "{all:#}");
        let output = doctor(&world);
        assert!(!is_absent(&output) && output.contains("calls tenter at"), "{output}");
    }
}

/// An agent that reads foreign entries has no own ones that show it.
#[test]
fn absent_agent_with_entries_is_named() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    assert_eq!(world.tenter(&["init", "vscode", "--allow-build-path"]).run().code, Some(0));
    let output = doctor(&world);
    assert!(output.contains("VS Code (the entries of Copilot CLI would call tenter for it)"), "{output}");
}

#[test]
fn single_event_is_singular() {
    let world = World::new();
    bin(&world, &[("crush", "echo 1.0"), ("grep", "")]);
    let ran = world.tenter(&["init", "crush", "--allow-build-path"]).run();
    assert!(ran.stdout.contains("crush.json  1 event, memory tools\n"), "{ran:?}");
    assert!(doctor(&world).contains("calls tenter at 1 event\n"), "{}", doctor(&world));
}

/// Every proposed repair must have an effect.
#[test]
fn doctor_agrees_with_init_on_entries() {
    let mut changed_files = 0;
    for agent in tenter_adapters::names().map(|name| name.to_string()) {
        for scope in ["user", "project"] {
            let world = World::new();
            bin(&world, &[("grep", "")]);
            let files = || {
                let found = world.sh(
                    "grep -rlsE 'tenter(-hook)?.* (hook )?[a-z]+|tenter-hook' . ~ \"$XDG_CONFIG_HOME\" | grep -v '/tenter/' | sort -u",
                );
                found.stdout.lines().map(|file| world.project().join(file)).collect::<Vec<_>>()
            };
            let before = files();
            let init = || {
                world.tenter(&["init", &agent, "--scope", scope, "--allow-build-path", "--no-protect"]).run()
            };
            let first = init();
            if first.stderr.contains("scope") && first.code == Some(2) {
                continue;
            }
            let differs = |output: &str| output.contains("but not as `tenter init` writes it");
            let output = doctor(&world);
            assert!(!differs(&output), "{agent} {scope}: {output}");
            let again = init();
            assert!(again.stdout.contains("Nothing to do."), "{agent} {scope}: {again:?}");
            for file in files().into_iter().filter(|file| !before.contains(file)) {
                let text = fs::read_to_string(&file).unwrap();
                let changed = text.replacen("600", "1", 1);
                if changed == text {
                    continue;
                }
                changed_files += 1;
                fs::write(&file, changed).unwrap();
                let output = doctor(&world);
                let mut lines = output.lines().skip_while(|line| !line.contains("tenter init` writes it"));
                let remedy = lines.nth(1).and_then(|line| line.trim().strip_prefix("-> tenter "));
                let remedy = remedy.unwrap_or_else(|| panic!("{agent} {scope}: {output}"));
                let words = remedy.split(' ').chain(["--allow-build-path", "--no-protect"]);
                let repaired = world.tenter(&words.collect::<Vec<_>>()).run();
                assert_eq!(repaired.code, Some(0), "{agent} {scope}: {repaired:?}");
                assert_eq!(fs::read_to_string(&file).unwrap(), text, "{agent} {scope}");
                assert!(!differs(&doctor(&world)), "{agent} {scope}");
            }
        }
    }
    assert!(changed_files > 20, "{changed_files}");
}
