//! What `tenter doctor` says of agents: whether each is here, by which ways it calls tenter, and which version it is.

use std::fs;

use serde_json::Value;

use super::doctor::{bin, doctor};
use crate::world::World;

/// A settings file that cannot be read says nothing about whether the agent is here.
#[test]
fn whether_an_agent_is_here_stands_in_one_row() {
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
        let said = doctor(&world);
        assert_eq!(said.matches("not on PATH").count(), 1, "{agent}: {said}");
    }
}

/// As the hot path does it: what has no entry of its own comes by the other agent's.
#[test]
fn what_is_left_to_an_agents_own_entries_is_what_these_have() {
    let world = World::new();
    bin(&world, &[("cursor", "echo 2.9.0"), ("grep", "")]);
    for agent in ["cursor", "claude"] {
        assert_eq!(world.tenter(&["init", agent, "--allow-build-path"]).run().code, Some(0));
    }
    let left = "tenter answers only the calls from {home}/.cursor/hooks.json, so that hooks run once";
    let said = doctor(&world);
    assert!(said.contains(&format!("{left}\n")), "{said}");
    let file = world.home().join(".cursor/hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("stop").unwrap();
    fs::write(&file, settings.to_string()).unwrap();
    let said = doctor(&world);
    let as_well = "too, and tenter answers its calls as well, because {home}/.cursor/hooks.json is not as `tenter init`";
    assert!(said.contains(as_well), "{said}");
    fs::write(&file, text.replace(env!("CARGO_BIN_EXE_tenter"), "/gone/tenter")).unwrap();
    let said = doctor(&world);
    assert!(
        said.contains("too, and tenter answers its calls, because {home}/.cursor/hooks.json calls"),
        "{said}"
    );
}

/// A project may be anybody's: its entries silence none of the user's, and what was changed in one of ours is told.
#[test]
fn a_projects_entries_are_told_to_be_what_they_are() {
    let world = World::new();
    bin(&world, &[("cursor", "echo 2.9.0"), ("grep", "")]);
    for options in [&["init", "claude"][..], &["init", "cursor", "--scope", "project"]] {
        let ran = world.tenter(&[options, &["--allow-build-path", "--no-protect"]].concat()).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let answers = "which answers as {project}/.cursor/hooks.json does";
    let said = doctor(&world);
    assert!(said.contains(answers), "{said}");
    let file = world.project().join(".cursor/hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"timeout\": 600", "\"timeout\": 0")).unwrap();
    let said = doctor(&world);
    assert!(said.contains("calls tenter, but not as `tenter init` writes it"), "{said}");
    assert!(said.contains("-> tenter init cursor --scope project"), "{said}");
}

/// What takes its time is not waited for, and no agent waits for another.
#[test]
fn a_program_that_does_not_say_its_version_in_time_is_no_finding() {
    let world = World::new();
    bin(&world, &[("claude", "exec /bin/sleep 60"), ("codex", "exec /bin/sleep 60"), ("grep", "")]);
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
    let said = doctor(&world);
    assert_eq!(said.matches("which did not print its version within 2 seconds\n").count(), 2, "{said}");
    assert!(said.contains("no problem found"), "{said}");
}

/// `init` without a name and `doctor` look for agents by one rule: the program, or the folder in the home.
#[test]
fn whoever_init_would_take_is_here_for_doctor() {
    for (folder, title, name) in [
        (".claude", "Claude Code", "claude"),
        (".codex", "Codex CLI", "codex"),
        (".cursor", "Cursor", "cursor"),
        (".vscode", "VS Code", "vscode"),
    ] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        fs::create_dir(world.home().join(folder)).unwrap();
        let told = |said: &str| said.lines().any(|line| line.contains(" not here: ") && line.contains(title));
        let said = doctor(&world);
        assert!(!told(&said) && said.contains(&format!("{{home}}/{folder} is there")), "{said}");
        assert!(said.contains(&format!("-> tenter init {name}\n")), "{said}");
        let init = &["init", "--allow-build-path", "--json"];
        let ran = world.tenter(init).env("PATH", world.home().join("bin")).run();
        let all: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(all["agents"][0]["agent"], *name, "{all:#}");
        let said = doctor(&world);
        assert!(!told(&said) && said.contains("calls tenter at"), "{said}");
    }
}

/// An agent that is called by the entries of another has none of its own that would show it.
#[test]
fn an_agent_that_is_not_here_and_would_be_called_is_named_as_such() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    assert_eq!(world.tenter(&["init", "vscode", "--allow-build-path"]).run().code, Some(0));
    let said = doctor(&world);
    assert!(said.contains("VS Code (the entries of Copilot CLI would call tenter for it)"), "{said}");
}

#[test]
fn one_event_is_one_event() {
    let world = World::new();
    bin(&world, &[("crush", "echo 1.0"), ("grep", "")]);
    let ran = world.tenter(&["init", "crush", "--allow-build-path"]).run();
    assert!(ran.stdout.contains("crush.json  1 event, memory tools\n"), "{ran:?}");
    assert!(doctor(&world).contains("calls tenter at 1 event\n"), "{}", doctor(&world));
}

/// A finding whose remedy does nothing is worse than none.
#[test]
fn doctor_agrees_with_init_about_every_agents_entries() {
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
            let differs = |said: &str| said.contains("but not as `tenter init` writes it");
            let said = doctor(&world);
            assert!(!differs(&said), "{agent} {scope}: {said}");
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
                let said = doctor(&world);
                let mut lines = said.lines().skip_while(|line| !line.contains("tenter init` writes it"));
                let remedy = lines.nth(1).and_then(|line| line.trim().strip_prefix("-> tenter "));
                let remedy = remedy.unwrap_or_else(|| panic!("{agent} {scope}: {said}"));
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
