//! `tenter init`: what changes in somebody's settings, and why something does not.

use std::fs;

use super::{Dialogue, assert_dialogue};
use crate::placeholders::steady;
use crate::terminal::{Terminal, side};
use crate::world::World;

pub(super) const SETTINGS: &str = r#"{
  "model": "opus",
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "notify-send done" }] }]
  }
}
"#;

pub(super) const INIT: &[&str] = &["init", "claude", "--allow-build-path"];

#[test]
fn init_shows_what_changes_keeps_the_old_file_and_does_it_once() {
    let dialogue = Dialogue::nowhere()
        .meanwhile("there are settings", |world| world.write_settings(SETTINGS))
        .says(&[INIT, &["--dry-run"]].concat())
        .says(INIT)
        .says(INIT)
        .says(&[INIT, &["--json"]].concat());
    assert_dialogue!(dialogue);
}

/// Nothing is written before the person at the terminal agrees; `--yes` and scripts are not asked.
#[test]
fn init_asks_on_a_terminal() {
    for (keys, more, written) in
        [("n\r", "", false), ("\u{4}", "", false), ("\r", "", true), ("", "--yes", true)]
    {
        let world = World::new();
        let more: Vec<&str> = [more].into_iter().filter(|word| !word.is_empty()).collect();
        let (mut terminal, path) = Terminal::open();
        let mut command = world.tenter(&[INIT, &more].concat()).command();
        let mut process = command.stdin(side(&path)).stdout(side(&path)).stderr(side(&path)).spawn().unwrap();
        if !keys.is_empty() {
            terminal.wait_for("Write these changes? [Y/n] ");
            assert!(!world.settings().exists(), "{}", terminal.seen);
            terminal.types(keys);
        }
        terminal.wait_for(if written { "Undo with" } else { "Nothing was written." });
        assert_eq!(process.wait().unwrap().code(), Some(i32::from(!written)), "{}", terminal.seen);
        assert_eq!(world.settings().exists(), written, "{keys:?}: {}", terminal.seen);
        assert!(terminal.seen.lines().count() < 25, "a plan is short: {}", terminal.seen);
    }
}

/// Homes of build servers lie below temporary folders; what is installed in them lasts as long as their settings.
#[test]
fn init_takes_programs_of_a_home_in_a_temporary_folder() {
    for (folder, taken) in [(".cargo/bin", true), (".local/share/tools", true), ("../elsewhere/bin", false)] {
        let world = World::new();
        let bin = world.home().join(folder);
        fs::create_dir_all(&bin).unwrap();
        for program in [env!("CARGO_BIN_EXE_tenter"), env!("CARGO_BIN_EXE_tenter-hook")] {
            fs::copy(program, bin.join(std::path::Path::new(program).file_name().unwrap())).unwrap();
        }
        let ran = world.run(&bin.join("tenter"), &["init", "claude", "--yes"]);
        assert_eq!((ran.code == Some(0), world.settings().exists()), (taken, taken), "{folder}: {ran:?}");
        assert!(taken || ran.stderr.contains("temporary folder"), "{folder}: {ran:?}");
    }
}

#[test]
fn a_dry_run_says_that_the_protection_would_be_off() {
    let world = crate::world::World::new();
    let init = |more: &[&str]| world.tenter(&[INIT, more].concat()).run();
    assert_eq!(init(&[]).code, Some(0));
    assert_eq!(world.tenter(&["hooks", "disable", "protect-config"]).run().code, Some(0));
    assert_eq!(world.tenter(&["uninstall", "claude"]).run().code, Some(0));
    let off = "is off: you disabled it; `tenter hooks enable protect-config` takes that back";
    let dry = init(&["--dry-run"]);
    let said = dry.stdout.lines().find(|line| line.starts_with("would not protect: ")).unwrap_or_default();
    assert!(said.ends_with(off), "{dry:?}");
    let json: serde_json::Value = serde_json::from_str(&init(&["--dry-run", "--json"]).stdout).unwrap();
    assert_eq!(json["protection"]["state"], "off");
    let done = init(&[]);
    assert!(
        done.stdout.lines().any(|line| line.starts_with("not protected: ") && line.ends_with(off)),
        "{done:?}"
    );
}

#[test]
fn init_brings_its_own_older_entries_up_to_date() {
    let by_hand = r#"{
  "hooks": {
    "PreToolUse": [{ "hooks": [{ "type": "command", "command": "tenter hook claude" }] }]
  }
}
"#;
    let dialogue = Dialogue::nowhere()
        .meanwhile("somebody has wired it by hand", |world| world.write_settings(by_hand))
        .says(INIT)
        .says(&[INIT, &["--strict"]].concat());
    assert_dialogue!(dialogue);
}

#[test]
fn init_warns_where_no_hook_would_run_or_every_hook_twice() {
    let dialogue = Dialogue::nowhere()
        .meanwhile("hooks are switched off", |world| world.write_settings("{ \"disableAllHooks\": true }\n"))
        .says(INIT)
        .says(&[INIT, &["--scope", "project", "--json"]].concat())
        .says(&[INIT, &["--scope", "local"]].concat());
    assert_dialogue!(dialogue);
}

/// Hooks that were imported and are still in the agent's settings run in both.
#[test]
fn init_names_imported_hooks_that_the_agent_still_runs_itself() {
    let world = World::new();
    let guard = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"echo \"no\" >&2; exit 2"}]}]}}"#;
    world.write_settings(guard);
    let settings = world.settings();
    let import = |hooks: &str| world.write_hooks("yaml", &format!("version: 1\n{hooks}"));
    let twice = "Claude Code runs `claude-PreToolUse-1` from";
    let said = || world.tenter(&[INIT, &["--dry-run"]].concat()).run();
    import(&format!("imports: [ {{ file: {} }} ]\n", settings.display()));
    assert!(said().stderr.contains(twice), "{:?}", said());
    import(&format!("imports: [ {{ file: {}, agents: [\"!claude\"] }} ]\n", settings.display()));
    assert!(!said().stderr.contains(twice), "{:?}", said());
    fs::remove_file(world.config().join("tenter/hooks.yaml")).unwrap();
    let written = world.tenter(&["import", &settings.display().to_string(), "--write"]).run();
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(said().stderr.contains(twice), "{:?}", said());
    world.write_settings("{}");
    assert!(!said().stderr.contains(twice), "{:?}", said());
}

#[test]
fn init_speaks_of_gemini_as_gemini_does() {
    let init: &[&str] = &["init", "gemini", "--allow-build-path"];
    let dialogue = Dialogue::nowhere()
        .meanwhile("hooks are switched off, with a comment", |world| {
            let folder = world.home().join(".gemini");
            fs::create_dir_all(&folder).unwrap();
            let text = "{\n  // quiet\n  \"hooksConfig\": { \"enabled\": false }\n}\n";
            fs::write(folder.join("settings.json"), text).unwrap();
        })
        .says(init)
        .says(&[init, &["--scope", "local"]].concat())
        .says(&["uninstall", "gemini"]);
    assert_dialogue!(dialogue);
}

/// Codex runs nothing that its user has not trusted, and only its user can.
#[test]
fn init_says_what_is_left_to_do_in_codex_and_doctor_sees_when_it_is_done() {
    let init: &[&str] = &["init", "codex", "--allow-build-path", "--no-protect"];
    let dialogue = Dialogue::nowhere().says(init).says(init);
    let config = dialogue.world.home().join(".codex/config.toml");
    let doctor = |world: &World| world.tenter(&["doctor"]).run().stdout;
    let served = fs::read_to_string(&config).unwrap();
    assert!(!served.contains("[hooks"), "what its user trusts is not ours to write: {served}");
    assert!(doctor(&dialogue.world).contains("its user has not agreed yet"), "{}", doctor(&dialogue.world));
    fs::write(&config, format!("{served}\n{}", trusted(&dialogue.world))).unwrap();
    let told = doctor(&dialogue.world);
    assert!(!told.contains("has not agreed") && told.contains("calls tenter at 11 events"), "{told}");
    let dialogue = dialogue.says(init).meanwhile("one entry is changed", |world| {
        let hooks = world.home().join(".codex/hooks.json");
        let text = fs::read_to_string(&hooks).unwrap().replace("--within 3s", "--within 2s");
        fs::write(hooks, text).unwrap();
    });
    let told = doctor(&dialogue.world);
    assert!(told.contains("the entries for SessionEnd in"), "{told}");
    assert_dialogue!(dialogue.says(&["uninstall", "codex"]));
}

/// What Codex writes down when its user trusts every entry.
fn trusted(world: &World) -> String {
    let hooks = world.home().join(".codex/hooks.json");
    let installer = tenter_adapters::by_name("codex").unwrap().installer().unwrap();
    let agreements =
        installer.agreements(&hooks.to_string_lossy(), &fs::read_to_string(&hooks).unwrap()).unwrap();
    let state = |it: &tenter_contract::ports::Agreement| {
        let hash = tenter_protocol::shorten::sha256_hex(it.content.as_bytes());
        format!("[hooks.state.'{}']\ntrusted_hash = \"sha256:{hash}\"\n", it.key)
    };
    agreements.iter().map(state).collect()
}

#[test]
fn init_protects_what_says_which_hooks_run_unless_that_is_not_wanted() {
    let declined: &[&str] = &["init", "gemini", "--allow-build-path", "--no-protect"];
    let show = |dialogue: Dialogue| {
        let text = fs::read_to_string(dialogue.world.config().join("tenter/hooks.yaml")).unwrap();
        Dialogue { text: format!("{}---\n{text}---\n", dialogue.text), ..dialogue }
    };
    let own =
        "# mine\nversion: 1\nhooks:\n  session:start:\n    - { name: hello, inject: \"Hello.\" } # hi\n";
    let dialogue = Dialogue::with_hooks(own).says(declined).says(&[INIT, &["--dry-run"]].concat()).says(INIT);
    let dialogue = show(dialogue)
        .says(&["hooks", "list"])
        .says(&["hooks", "disable", "protect-config"])
        .says(INIT)
        .says(&["hooks", "enable", "protect-config"])
        .says(&["uninstall", "gemini"])
        .says(&["uninstall", "claude"]);
    assert_dialogue!(show(dialogue));
}

#[test]
fn init_does_not_call_a_hook_protection_that_was_switched_off_before() {
    let dialogue = Dialogue::nowhere()
        .says(INIT)
        .says(&["hooks", "disable", "protect-config"])
        .says(&["uninstall", "claude"])
        .says(INIT)
        .says(&["uninstall", "claude"])
        .says(&[INIT, &["--json"]].concat())
        .says(&["hooks", "enable", "protect-config"])
        .says(INIT);
    assert_dialogue!(dialogue);
}

#[test]
fn init_says_what_to_paste_where_it_cannot_write() {
    let lists = "version: 1\nhooks: { tool:pre: [ { name: a, deny: \"no\" } ] }\n";
    assert_dialogue!(Dialogue::with_hooks(lists).says(INIT).says(&["uninstall", "claude"]));
}

#[test]
fn what_has_to_stand_around_it_is_told_too() {
    let warning = |hooks: &str| {
        let dialogue = Dialogue::with_hooks(hooks).says(INIT);
        let from = dialogue.text.find("warning: ").unwrap();
        let lines: Vec<&str> = dialogue.text[from..].lines().take(2).collect();
        lines.join("\n") + "\n"
    };
    insta::assert_snapshot!(warning("hooks: {}\n") + &warning("version: 1\nhooks: {}\n"), @r#"
    warning: agents can still change tenter's own files; write `version: 1` first, then add a list `tool:pre` under `hooks` in {config}/tenter/hooks.yaml with this:
      { name: protect-config, matcher: "shell|write|edit|mcp|other", builtin: protect.config }
    warning: agents can still change tenter's own files; add a list `tool:pre` under `hooks` in {config}/tenter/hooks.yaml with this:
      { name: protect-config, matcher: "shell|write|edit|mcp|other", builtin: protect.config }
    "#);
}

#[test]
fn init_leaves_a_hook_file_of_another_system_alone() {
    let other = "hooks:\n  PreToolUse:\n    - { matcher: \"*\", handler: check.py, type: command }\n";
    assert_dialogue!(Dialogue::with_hooks(other).says(INIT));
}

#[test]
fn init_refuses_a_program_that_will_not_stay() {
    assert_dialogue!(Dialogue::nowhere().says(&["init", "claude"]));
}

#[test]
fn init_changes_nothing_it_does_not_understand() {
    let dialogue = Dialogue::nowhere()
        .says(&["init", "cluade"])
        .says(&["init", "claude", "--scope", "projet"])
        .meanwhile("the settings lack a comma", |world| {
            world.write_settings("{\n  \"model\": \"opus\"\n  \"hooks\": {}\n}\n");
        })
        .says(INIT)
        .meanwhile("hooks are a list", |world| world.write_settings("{ \"hooks\": [] }"))
        .says(INIT)
        .meanwhile("the settings are no text", |world| {
            fs::write(world.settings(), b"{ \"a\": \"\xFF\" }").unwrap();
        })
        .says(INIT)
        .meanwhile("the settings are read-only", |world| {
            world.write_settings("{}");
            let mut permissions = fs::metadata(world.settings()).unwrap().permissions();
            permissions.set_readonly(true);
            fs::set_permissions(world.settings(), permissions).unwrap();
        })
        .says(INIT);
    let left: Vec<_> = fs::read_dir(dialogue.world.home().join(".claude")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside the settings: {left:?}");
    assert_dialogue!(dialogue);
}

#[test]
fn without_a_name_it_is_every_agent_that_is_here_and_uninstall_takes_them_all_out() {
    let all = &["init", "--allow-build-path"];
    let dialogue = Dialogue::nowhere()
        .without_programs()
        .says(all)
        .meanwhile("there are three agents, and the settings of one are broken", |world| {
            world.write_settings(SETTINGS);
            for (folder, file, text) in [(".gemini", "", ""), (".qwen", "settings.json", "{")] {
                let folder = world.home().join(folder);
                fs::create_dir(&folder).unwrap();
                if !file.is_empty() {
                    fs::write(folder.join(file), text).unwrap();
                }
            }
        })
        .says(all)
        .meanwhile("the settings are mended", |world| {
            fs::write(world.home().join(".qwen/settings.json"), "{}\n").unwrap();
        })
        .says(&[all, &["qwen", "gemini", "--json"][..]].concat())
        .says(&["uninstall"])
        .says(&["uninstall"])
        .says(&["uninstall", "--json"]);
    assert_dialogue!(dialogue);
}

/// Cline runs one file per event: tenter's come and go beside anybody else's.
#[test]
fn init_adds_files_beside_those_of_others_and_uninstall_removes_just_these() {
    let own = "#!/bin/sh\necho mine\n";
    let init: &[&str] = &["init", "cline", "--allow-build-path"];
    let dialogue = Dialogue::nowhere()
        .meanwhile("there is a hook already", move |world: &World| {
            let folder = world.home().join(".cline/hooks");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("PreToolUse"), own).unwrap();
        })
        .says(&[init, &["--dry-run"]].concat())
        .says(init)
        .says(init)
        .meanwhile("the hook that was there is still what it was", move |world: &World| {
            let folder = world.home().join(".cline/hooks");
            assert_eq!(fs::read_to_string(folder.join("PreToolUse")).unwrap(), own);
            assert!(folder.join("PreToolUse.bash").exists());
        })
        .says(&["uninstall", "cline"])
        .meanwhile("nothing else is left", move |world: &World| {
            let folder = world.home().join(".cline/hooks");
            assert_eq!(fs::read_to_string(folder.join("PreToolUse")).unwrap(), own);
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
        });
    assert_dialogue!(dialogue);
}

/// Nobody has seen hooks run in Cursor, and it may run those of Claude Code.
#[test]
fn init_says_what_is_not_proven_and_what_is_called_already() {
    let init = |agent| ["init", agent, "--allow-build-path", "--no-protect"];
    let dialogue = Dialogue::nowhere()
        .says(&init("claude"))
        .says(&init("cursor"))
        .says(&init("vscode"))
        .says(&[&init("devin")[..], &["--scope", "project"]].concat())
        .says(&[&init("vscode")[..], &["--json"]].concat())
        .says(&["uninstall", "claude"])
        .says(&init("vscode"))
        .says(&["uninstall", "vscode"])
        .says(&["prove", "cursor"]);
    assert_dialogue!(dialogue);
}

/// Files of forms that nobody else has: a list of hooks, tables, flat entries under a name of ours, a plugin.
#[test]
fn init_and_uninstall_leave_no_trace_in_any_agent() {
    let agents = tenter_adapters::names().map(|name| name.to_string());
    for agent in agents {
        let world = World::new();
        let mut scopes = 0;
        for scope in ["user", "project"] {
            let ran = |verb: &str, more: &[&str]| {
                world.tenter(&[&[verb, &agent, "--scope", scope], more].concat()).run()
            };
            let find = "find . ~ \"$XDG_CONFIG_HOME\" \"$XDG_STATE_HOME\" | sort";
            let before = world.sh(find).stdout;
            let installed = ran("init", &["--allow-build-path", "--no-protect"]);
            if installed.stderr.contains("scope") && installed.code == Some(2) {
                continue;
            }
            scopes += 1;
            assert_eq!(installed.code, Some(0), "{agent} {scope}: {installed:?}");
            assert!(installed.stdout.contains("Installed."), "{agent} {scope}: {installed:?}");
            let again = ran("init", &["--allow-build-path", "--no-protect"]);
            assert!(again.stdout.contains("Nothing to do."), "{agent} {scope}: {again:?}");
            assert_eq!(ran("uninstall", &[]).code, Some(0), "{agent} {scope}");
            assert_eq!(world.sh(find).stdout, before, "{agent} {scope}");
        }
        assert!(scopes > 0, "{agent}");
    }
}

/// They are somebody's, and nobody can tell why.
#[test]
fn empty_folders_that_were_there_before_stay() {
    let world = World::new();
    let folders =
        [world.home().join(".kiro/hooks"), world.config().join("kilo/plugin"), world.home().join(".cline")];
    for folder in &folders {
        fs::create_dir_all(folder).unwrap();
    }
    for agent in ["kiro", "kilo", "cline"] {
        let init = ["init", agent, "--allow-build-path", "--no-protect"];
        assert_eq!(world.tenter(&init).run().code, Some(0), "{agent}");
        assert_eq!(world.tenter(&["uninstall", agent]).run().code, Some(0), "{agent}");
    }
    for folder in folders {
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{}", folder.display());
    }
}

/// What is the same for every agent is told with the first, and an agent without entries of its own is not listed.
#[test]
fn what_concerns_every_agent_is_said_once() {
    let world = World::new();
    let ran = |words: &[&str]| world.tenter(words).run();
    let refused = ran(&["init", "claude", "gemini", "copilot"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
    assert_eq!(refused.stderr.matches("error: ").count(), 1, "{refused:?}");
    let dry = ran(&["init", "claude", "gemini", "copilot", "--allow-build-path", "--dry-run", "--diff"]);
    assert_eq!(dry.stdout.matches("+      builtin: protect.config").count(), 1, "{dry:?}");
    assert_eq!(ran(&["init", "copilot", "--allow-build-path"]).code, Some(0));
    let out = ran(&["uninstall"]);
    assert!(out.stdout.contains("Copilot") && !out.stdout.contains("VS Code\n"), "{out:?}");
    assert!(!out.stdout.contains("nothing to do"), "{out:?}");
}

/// One problem must not drown in what is said of the others.
#[test]
fn init_of_several_ends_with_a_line_for_each_and_problems_last() {
    let world = World::new();
    world.write_settings("{ garbage");
    let codex = world.home().join(".codex");
    fs::create_dir(&codex).unwrap();
    for (folder, text) in [(".gemini", "{ \"hooksConfig\": { \"enabled\": false } }"), (".qwen", "{}")] {
        fs::create_dir(world.home().join(folder)).unwrap();
        fs::write(world.home().join(folder).join("settings.json"), text).unwrap();
    }
    let run = |words: &[&str]| world.tenter(words).env("PATH", world.home()).run();
    let end = |words: &[&str]| {
        let ran = run(words);
        let said = steady(&ran.stdout, &world);
        let (_, end) = said.split_once("\nAll agents\n").unwrap_or(("", said.as_str()));
        format!("$ tenter {}\n{end}[exit {:?}]\n", words.join(" "), ran.code)
    };
    let init = &["init", "--allow-build-path"][..];
    let json: serde_json::Value =
        serde_json::from_str(&run(&[init, &["--dry-run", "--json"]].concat()).stdout).unwrap();
    let results: Vec<_> = json["agents"].as_array().unwrap().iter().map(|it| it["result"].clone()).collect();
    assert_eq!(results, ["not_written", "would_install", "not_called", "would_install"], "{json:#}");
    let words = [&[init, &["--dry-run"]].concat(), init, init, &["uninstall", "--dry-run"], &["uninstall"]];
    insta::assert_snapshot!(words.map(end).join("\n"));
}
