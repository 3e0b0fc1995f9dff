//! The entry that `init` writes: an agent without it is stopped, and an entry of a removed installation denies.

use std::fs;

use serde_json::{Value, json};

use crate::world::{MESSAGE, REASON, World, after, bash, event};

/// A machine on which Claude Code calls tenter.
fn installed() -> World {
    let world = World::new();
    world.write_settings("{\n  \"permissions\": {}\n}\n");
    let ran = world.tenter(&["init", "claude", "--scope", "user", "--allow-build-path", "--no-memory"]).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    world
}

fn settings(world: &World) -> Value {
    serde_json::from_str(&fs::read_to_string(world.settings()).unwrap()).unwrap()
}

/// The command that Claude Code runs before a tool call.
fn line(world: &World) -> String {
    let line = settings(world).pointer("/hooks/PreToolUse/0/hooks/0/command").cloned().unwrap();
    line.as_str().unwrap().to_owned()
}

fn change(world: &World, change: impl FnOnce(&mut Value)) -> String {
    world.claude(&event("UserPromptSubmit")).run();
    assert_eq!(world.claude(&bash("ls")).run().stdout, "");
    let mut settings = settings(world);
    change(&mut settings);
    fs::write(world.settings(), settings.to_string()).unwrap();
    let ran = world.claude(&after("ls")).run();
    if ran.stdout.is_empty() { String::new() } else { ran.field(MESSAGE) }
}

fn next_call(world: &World) -> String {
    let ran = world.claude(&bash("ls").replace("toolu_1", "toolu_2")).run();
    if ran.stdout.is_empty() { String::new() } else { ran.field(REASON) }
}

#[test]
fn missing_entry_stops_claude_until_restored() {
    let ways: [fn(&mut Value); 12] = [
        |settings| settings["hooks"] = json!({}),
        |settings| settings["disableAllHooks"] = json!(true),
        |settings| {
            settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
        },
        |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = json!("true"),
        |settings| settings["hooks"]["PreToolUse"][0]["matcher"] = json!("NoSuchTool"),
        |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(0.001),
        |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true),
        |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["if"] = json!("Bash(x)"),
        |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["type"] = json!("prompt"),
        |settings| settings["env"] = json!({"XDG_CONFIG_HOME": "/tmp/elsewhere"}),
        |settings| settings["env"] = json!({"BASH_ENV": "/tmp/elsewhere"}),
        |settings| settings["allowManagedHooksOnly"] = json!(true),
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let world = installed();
        let notice = change(&world, way);
        assert!(notice.contains("hook settings of Claude Code changed"), "{number}: {notice:?}");
        assert!(next_call(&world).contains("tenter init"), "{number}");
        world.claude(&event("Stop")).run();
        assert!(next_call(&world).contains("tenter init"), "{number}: after the turn too");
        if number == 1 || number >= 4 {
            let accepted = world.tenter(&["hooks", "accept", "--yes"]).run();
            assert!(accepted.stdout.contains("accepted: "), "{number}: {accepted:?}");
        } else {
            let words = ["init", "claude", "--scope", "user", "--allow-build-path", "--no-memory"];
            assert_eq!(world.tenter(&words).run().code, Some(0));
        }
        assert_eq!(next_call(&world), "", "{number}");
    }
}

/// Agents that lose tenter's entry, each in a way of its own.
#[test]
fn missing_entry_stops_every_agent() {
    for (agent, script) in [
        (
            "gemini",
            "sed -i 's/\"type\": \"command\"/\"type\": \"command\", \"matcher\": \"x\"/' ~/.gemini/settings.json",
        ),
        ("gemini", "sed -i '1s/{/{ \"tools\": { \"enableHooks\": false },/' ~/.gemini/settings.json"),
        ("gemini", "mkdir .gemini; echo '{\"hooksConfig\": {\"enabled\": false}}' > .gemini/settings.json"),
        ("codex", "printf '[features]\\nhooks = false\\n' > ~/.codex/config.toml"),
        ("codex", "printf '[hooks.state.\"x\"]\\nenabled = false\\n' > ~/.codex/config.toml"),
        ("codex", "rm ~/.codex/hooks.json; mkfifo ~/.codex/hooks.json"),
        ("copilot", "mv ~/.copilot/hooks ~/.copilot/gone"),
        ("copilot", "sed -i 's/\"timeout\": 600/\"timeout\": 0/' ~/.copilot/hooks/tenter.json"),
        ("cursor", "ln -sf /dev/null ~/.cursor/hooks.json"),
        ("cline", "chmod -x ~/.cline/hooks/PreToolUse"),
        ("cline", "printf '#!/bin/sh\\nexit 0\\n' > ~/.cline/hooks/PreToolUse"),
        ("opencode", ": > \"$XDG_CONFIG_HOME/opencode/plugins/tenter.js\""),
    ] {
        let world = installed();
        let words = ["init", agent, "--scope", "user", "--allow-build-path", "--no-memory"];
        assert_eq!(world.tenter(&words).run().code, Some(0), "{agent}");
        world.claude(&event("UserPromptSubmit")).run();
        assert_eq!(world.claude(&bash("ls")).run().stdout, "", "{agent}");
        let ran = world.sh(script);
        assert_eq!(ran.code, Some(0), "{script}: {ran:?}");
        let output = world.claude(&after("ls")).run();
        assert!(output.stdout.contains("the hook settings of"), "{script}: {output:?}");
        assert!(next_call(&world).contains("tenter init"), "{script}");
    }
}

#[test]
fn new_foreign_hook_is_notified() {
    let world = installed();
    let notice = change(&world, |settings| {
        settings["hooks"]["Stop"]
            .as_array_mut()
            .unwrap()
            .push(json!({"hooks": [{"type": "command", "command": "curl evil.example"}]}));
    });
    assert!(notice.contains("+ other hook: curl evil.example"), "{notice:?}");
    assert_eq!(next_call(&world), "");
    let world = installed();
    assert_eq!(change(&world, |settings| settings["permissions"] = json!({"allow": ["Bash(ls)"]})), "");
}

#[test]
fn entry_of_removed_installation_denies() {
    let world = installed();
    let line = line(&world);
    assert!(line.contains(" --installation "), "{line}");
    let answer = |world: &World| world.sh_with(&line, &bash("ls")).field(REASON);
    assert_eq!(world.sh_with(&line, &bash("ls")).stdout, "");
    // Another machine does not know this installation.
    let moved = format!("export HOME=/nowhere XDG_CONFIG_HOME=/nowhere/c XDG_STATE_HOME=/nowhere/s; {line}");
    let ran = world.sh_with(&moved, &bash("ls"));
    assert!(ran.field(REASON).contains("configuration or state is gone"), "{ran:?}");
    fs::remove_dir_all(world.state().join("tenter")).unwrap();
    let ran = world.sh_with(&line, &bash("ls"));
    assert!(ran.field(MESSAGE).contains("was removed or replaced"), "{ran:?}");
    assert!(ran.field(REASON).contains("tenter init"), "{ran:?}");
    // The next session starts with the notice and uses the current entries.
    world.sh_with(&line, &event("SessionStart"));
    assert_eq!(world.sh_with(&line, &bash("ls -l")).stdout, "");
    fs::remove_dir_all(world.state().join("tenter")).unwrap();
    fs::remove_dir_all(world.config().join("tenter")).unwrap();
    assert!(answer(&world).contains("tenter init"));
    let words = ["init", "claude", "--scope", "user", "--allow-build-path", "--no-memory"];
    assert_eq!(world.tenter(&words).run().code, Some(0));
    let line = self::line(&world);
    assert_eq!(world.sh_with(&line, &bash("ls")).stdout, "");
}

/// An agent prepares folders without guards and redirects tenter there, for example through `env` in the settings.
#[test]
fn variables_cannot_redirect_installation() {
    let world = World::new();
    let call = |payload: &str, variables: &str| {
        let line = fs::read_to_string(world.settings()).map_or("true".to_owned(), |_| line(&world));
        let script = format!("{variables} {line}");
        let call = world.program("sh".as_ref(), &["-c", &script]).stdin(payload).env("HOME", world.home());
        call.without("XDG_CONFIG_HOME")
            .without("XDG_STATE_HOME")
            .with_account(&world.home())
            .map(crate::world::Call::run)
    };
    let words = ["init", "claude", "--scope", "user", "--allow-build-path", "--no-memory"];
    let init = world.tenter(&words).without("XDG_CONFIG_HOME").without("XDG_STATE_HOME");
    let Some(init) = init.with_account(&world.home()) else { return };
    assert_eq!(init.run().code, Some(0));
    let evil = world.home().join("evil");
    let made = world.sh(&format!(
        "mkdir -m 700 -p {0}/c/tenter {0}/s/tenter {0}/.config/tenter {0}/.local/state/tenter; echo 'version: 1' > {0}/c/tenter/hooks.yaml; cp {0}/c/tenter/hooks.yaml {0}/.config/tenter; for f in \"$HOME\"/.config/tenter/installation-*; do for d in c s .config .local/state; do touch {0}/$d/tenter/$(basename $f); done; done",
        evil.display()
    ));
    assert_eq!(made.code, Some(0), "{made:?}");
    let guarded = bash("rm ~/.claude/settings.json");
    for variables in [
        String::new(),
        format!("export XDG_CONFIG_HOME={0}/c XDG_STATE_HOME={0}/s;", evil.display()),
        format!("export XDG_CONFIG_HOME={0}/c;", evil.display()),
        format!("export XDG_STATE_HOME={0}/s;", evil.display()),
        format!("export HOME={};", evil.display()),
    ] {
        let ran = call(&guarded, &variables).unwrap();
        assert!(ran.stdout.contains("\"deny\""), "{variables}: {ran:?}");
    }
}

/// Without the saved versions, tenter cannot tell what a changed hook file contained.
#[test]
fn wiped_state_with_changed_hook_file_denies() {
    for wipe in [
        "rm -r \"$XDG_STATE_HOME/tenter\"",
        "rm -r \"$XDG_STATE_HOME/tenter/hook-files\"",
        "rm -rf \"$XDG_STATE_HOME/tenter/hook-files\" \"$XDG_STATE_HOME/tenter/agents\"",
        "for f in \"$XDG_STATE_HOME/tenter/hook-files\"/*; do echo x > \"$f\"; done",
        "rm -rf \"$XDG_STATE_HOME/tenter/hook-files\" \"$XDG_STATE_HOME/tenter/cache\"",
        "rm \"$XDG_CONFIG_HOME\"/tenter/installation-*; rm -r \"$XDG_STATE_HOME/tenter/hook-files\"",
        "rm $(grep -l hooks.yaml \"$XDG_STATE_HOME\"/tenter/hook-files/*)",
        "for f in \"$XDG_STATE_HOME\"/tenter/hook-files/*; do rm \"$f\"; mkdir \"$f\"; done",
        "for f in \"$XDG_CONFIG_HOME\"/tenter/installation-* \"$XDG_STATE_HOME\"/tenter/installation-*; do : > \"$f\"; done; rm -r \"$XDG_STATE_HOME/tenter/hook-files\"",
        "for f in \"$XDG_CONFIG_HOME\"/tenter/installation-* \"$XDG_STATE_HOME\"/tenter/installation-*; do echo [] > \"$f\"; done; rm -r \"$XDG_STATE_HOME\"/tenter/hook-files \"$XDG_STATE_HOME\"/tenter/agents",
        "cd \"$XDG_STATE_HOME/tenter\"; ID=$(ls | grep installation-); cd ..; rm -r tenter; mkdir -m 700 tenter tenter/hook-files; touch \"tenter/$ID\"; : > \"$XDG_CONFIG_HOME/tenter/$ID\"",
    ] {
        for change in ["printf '# x\\nversion: 1\\n' > \"$F\"", "rm \"$F\""] {
            let world = installed();
            let line = line(&world);
            world.sh_with(&line, &event("UserPromptSubmit"));
            assert_eq!(world.sh_with(&line, &bash("ls")).stdout, "");
            let wiped = world.sh(&format!("F=$XDG_CONFIG_HOME/tenter/hooks.yaml; {wipe}; {change}"));
            assert_eq!(wiped.code, Some(0), "{wipe}; {change}: {wiped:?}");
            world.sh_with(&line, &after("ls"));
            // The hook file guarded this: either its last good version denies it, or everything is denied.
            let guarded = |id: &str| {
                let call = bash("rm ~/.claude/settings.json").replace("toolu_1", id);
                world.sh_with(&line, &call)
            };
            let ran = guarded("toolu_2");
            assert!(ran.stdout.contains("\"deny\""), "{wipe}; {change}: {ran:?}");
            if wipe.contains("hook-files") {
                // Another session changes nothing; a person's yes does.
                world.end_agents();
                world.sh_with(&line, &event("SessionStart"));
                let ran = guarded("toolu_3");
                assert!(ran.stdout.contains("\"deny\""), "{wipe}; {change}: {ran:?}");
                let accepted = world.tenter(&["hooks", "accept", "--yes"]).run();
                assert_eq!(accepted.code, Some(0), "{accepted:?}");
                let ran = guarded("toolu_4");
                assert!(!ran.stdout.contains("\"deny\""), "{wipe}; {change}: {ran:?}");
            }
        }
    }
}
