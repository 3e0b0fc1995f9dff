//! `tenter init`: changes of settings, and reasons for unchanged ones.

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
fn init_shows_changes_and_keeps_a_backup() {
    let dialogue = Dialogue::new()
        .step("there are settings", |world| world.write_settings(SETTINGS))
        .run(&[INIT, &["--dry-run"]].concat())
        .run(INIT)
        .run(INIT)
        .run(&[INIT, &["--json"]].concat());
    assert_dialogue!(dialogue);
}

/// `init` writes nothing before the user agrees; with `--yes` or in scripts it does not ask.
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

/// Homes of build servers may be temporary folders; programs in them last as long as the settings.
#[test]
fn init_accepts_a_temporary_home() {
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
fn dry_run_reports_disabled_protection() {
    let world = crate::world::World::new();
    let init = |more: &[&str]| world.tenter(&[INIT, more].concat()).run();
    assert_eq!(init(&[]).code, Some(0));
    assert_eq!(world.tenter(&["hooks", "disable", "protect-config"]).run().code, Some(0));
    assert_eq!(world.tenter(&["uninstall", "claude"]).run().code, Some(0));
    let off = "is off: you disabled it; `tenter hooks enable protect-config` takes that back";
    let dry = init(&["--dry-run"]);
    let output = dry.stdout.lines().find(|line| line.starts_with("will not protect: ")).unwrap_or_default();
    assert!(output.ends_with(off), "{dry:?}");
    let json: serde_json::Value = serde_json::from_str(&init(&["--dry-run", "--json"]).stdout).unwrap();
    assert_eq!(json["protection"]["state"], "off");
    let done = init(&[]);
    assert!(
        done.stdout.lines().any(|line| line.starts_with("not protected: ") && line.ends_with(off)),
        "{done:?}"
    );
}

#[test]
fn init_updates_older_entries() {
    let by_hand = r#"{
  "hooks": {
    "PreToolUse": [{ "hooks": [{ "type": "command", "command": "tenter hook claude" }] }]
  }
}
"#;
    let dialogue = Dialogue::new()
        .step("the user has added an entry by hand", |world| world.write_settings(by_hand))
        .run(INIT)
        .run(&[INIT, &["--strict"]].concat());
    assert_dialogue!(dialogue);
}

#[test]
fn init_warns_of_inactive_and_duplicate_hooks() {
    let dialogue = Dialogue::new()
        .step("hooks are switched off", |world| world.write_settings("{ \"disableAllHooks\": true }\n"))
        .run(INIT)
        .run(&[INIT, &["--scope", "project", "--json"]].concat())
        .run(&[INIT, &["--scope", "local"]].concat());
    assert_dialogue!(dialogue);
}

/// Imported hooks that remain in the agent's settings run twice.
#[test]
fn init_names_hooks_that_run_twice() {
    let world = World::new();
    let guard = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"echo \"no\" >&2; exit 2"}]}]}}"#;
    world.write_settings(guard);
    let settings = world.settings();
    let import = |hooks: &str| world.write_hooks("yaml", &format!("version: 1\n{hooks}"));
    let twice = "Claude Code runs `claude-PreToolUse-1` from";
    let dry_run = || world.tenter(&[INIT, &["--dry-run"]].concat()).run();
    import(&format!("imports: [ {{ file: {} }} ]\n", settings.display()));
    assert!(dry_run().stderr.contains(twice), "{:?}", dry_run());
    import(&format!("imports: [ {{ file: {}, agents: [\"!claude\"] }} ]\n", settings.display()));
    assert!(!dry_run().stderr.contains(twice), "{:?}", dry_run());
    fs::remove_file(world.config().join("tenter/hooks.yaml")).unwrap();
    let written = world.tenter(&["import", &settings.display().to_string(), "--write"]).run();
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(dry_run().stderr.contains(twice), "{:?}", dry_run());
    world.write_settings("{}");
    assert!(!dry_run().stderr.contains(twice), "{:?}", dry_run());
}

#[test]
fn init_uses_gemini_terms() {
    let init: &[&str] = &["init", "gemini", "--allow-build-path"];
    let dialogue = Dialogue::new()
        .step("hooks are switched off, with a comment", |world| {
            let folder = world.home().join(".gemini");
            fs::create_dir_all(&folder).unwrap();
            let text = "{\n  // quiet\n  \"hooksConfig\": { \"enabled\": false }\n}\n";
            fs::write(folder.join("settings.json"), text).unwrap();
        })
        .run(init)
        .run(&[init, &["--scope", "local"]].concat())
        .run(&["uninstall", "gemini"]);
    assert_dialogue!(dialogue);
}

/// Codex runs only hooks that the user has trusted.
#[test]
fn init_and_doctor_explain_codex_trust() {
    let init: &[&str] = &["init", "codex", "--allow-build-path", "--no-protect"];
    let dialogue = Dialogue::new().run(init).run(init);
    let config = dialogue.world.home().join(".codex/config.toml");
    let doctor = |world: &World| world.tenter(&["doctor"]).run().stdout;
    let served = fs::read_to_string(&config).unwrap();
    assert!(!served.contains("[hooks"), "what its user trusts is not ours to write: {served}");
    assert!(doctor(&dialogue.world).contains("its user has not agreed yet"), "{}", doctor(&dialogue.world));
    fs::write(&config, format!("{served}\n{}", trusted(&dialogue.world))).unwrap();
    let output = doctor(&dialogue.world);
    assert!(!output.contains("has not agreed") && output.contains("calls tenter at 11 events"), "{output}");
    let dialogue = dialogue.run(init).step("one entry is changed", |world| {
        let hooks = world.home().join(".codex/hooks.json");
        let text = fs::read_to_string(&hooks).unwrap().replace("--within 3s", "--within 2s");
        fs::write(hooks, text).unwrap();
    });
    let output = doctor(&dialogue.world);
    assert!(output.contains("the entries for SessionEnd in"), "{output}");
    assert_dialogue!(dialogue.run(&["uninstall", "codex"]));
}

/// The state of Codex after the user has trusted every entry.
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
fn init_protects_configuration_by_default() {
    let declined: &[&str] = &["init", "gemini", "--allow-build-path", "--no-protect"];
    let show = |dialogue: Dialogue| {
        let text = fs::read_to_string(dialogue.world.config().join("tenter/hooks.yaml")).unwrap();
        Dialogue { text: format!("{}---\n{text}---\n", dialogue.text), ..dialogue }
    };
    let own =
        "# mine\nversion: 1\nhooks:\n  session:start:\n    - { name: hello, inject: \"Hello.\" } # hi\n";
    let dialogue = Dialogue::with_hooks(own).run(declined).run(&[INIT, &["--dry-run"]].concat()).run(INIT);
    let dialogue = show(dialogue)
        .run(&["hooks", "list"])
        .run(&["hooks", "disable", "protect-config"])
        .run(INIT)
        .run(&["hooks", "enable", "protect-config"])
        .run(&["uninstall", "gemini"])
        .run(&["uninstall", "claude"]);
    assert_dialogue!(show(dialogue));
}

#[test]
fn init_reports_protection_disabled_before() {
    let dialogue = Dialogue::new()
        .run(INIT)
        .run(&["hooks", "disable", "protect-config"])
        .run(&["uninstall", "claude"])
        .run(INIT)
        .run(&["uninstall", "claude"])
        .run(&[INIT, &["--json"]].concat())
        .run(&["hooks", "enable", "protect-config"])
        .run(INIT);
    assert_dialogue!(dialogue);
}

#[test]
fn init_prints_entries_for_unwritable_files() {
    let lists = "version: 1\nhooks: { tool:pre: [ { name: a, deny: \"no\" } ] }\n";
    assert_dialogue!(Dialogue::with_hooks(lists).run(INIT).run(&["uninstall", "claude"]));
}

#[test]
fn printed_entries_name_their_parents() {
    let warning = |hooks: &str| {
        let dialogue = Dialogue::with_hooks(hooks).run(INIT);
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
fn init_keeps_foreign_hook_files() {
    let other = "hooks:\n  PreToolUse:\n    - { matcher: \"*\", handler: check.py, type: command }\n";
    assert_dialogue!(Dialogue::with_hooks(other).run(INIT));
}

#[test]
fn init_refuses_a_temporary_binary() {
    assert_dialogue!(Dialogue::new().run(&["init", "claude"]));
}

#[test]
fn init_keeps_invalid_settings() {
    let dialogue = Dialogue::new()
        .run(&["init", "cluade"])
        .run(&["init", "claude", "--scope", "projet"])
        .step("the settings lack a comma", |world| {
            world.write_settings("{\n  \"model\": \"opus\"\n  \"hooks\": {}\n}\n");
        })
        .run(INIT)
        .step("hooks are a list", |world| world.write_settings("{ \"hooks\": [] }"))
        .run(INIT)
        .step("the settings are no text", |world| {
            fs::write(world.settings(), b"{ \"a\": \"\xFF\" }").unwrap();
        })
        .run(INIT)
        .step("the settings are read-only", |world| {
            world.write_settings("{}");
            let mut permissions = fs::metadata(world.settings()).unwrap().permissions();
            permissions.set_readonly(true);
            fs::set_permissions(world.settings(), permissions).unwrap();
        })
        .run(INIT);
    let left: Vec<_> = fs::read_dir(dialogue.world.home().join(".claude")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left in the settings folder: {left:?}");
    assert_dialogue!(dialogue);
}

#[test]
fn init_without_names_covers_every_agent() {
    let all = &["init", "--allow-build-path"];
    let dialogue = Dialogue::new()
        .without_programs()
        .run(all)
        .step("there are three agents, and the settings of one are broken", |world| {
            world.write_settings(SETTINGS);
            for (folder, file, text) in [(".gemini", "", ""), (".qwen", "settings.json", "{")] {
                let folder = world.home().join(folder);
                fs::create_dir(&folder).unwrap();
                if !file.is_empty() {
                    fs::write(folder.join(file), text).unwrap();
                }
            }
        })
        .run(all)
        .step("the settings are mended", |world| {
            fs::write(world.home().join(".qwen/settings.json"), "{}\n").unwrap();
        })
        .run(&[all, &["qwen", "gemini", "--json"][..]].concat())
        .run(&["uninstall"])
        .run(&["uninstall"])
        .run(&["uninstall", "--json"]);
    assert_dialogue!(dialogue);
}

/// Cline runs one file per event; foreign files stay.
#[test]
fn uninstall_removes_only_added_files() {
    let own = "#!/bin/sh\necho mine\n";
    let init: &[&str] = &["init", "cline", "--allow-build-path"];
    let dialogue = Dialogue::new()
        .step("there is a hook already", move |world: &World| {
            let folder = world.home().join(".cline/hooks");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("PreToolUse"), own).unwrap();
        })
        .run(&[init, &["--dry-run"]].concat())
        .run(init)
        .run(init)
        .step("the hook that was there is still what it was", move |world: &World| {
            let folder = world.home().join(".cline/hooks");
            assert_eq!(fs::read_to_string(folder.join("PreToolUse")).unwrap(), own);
            assert!(folder.join("PreToolUse.bash").exists());
        })
        .run(&["uninstall", "cline"])
        .step("nothing else is left", move |world: &World| {
            let folder = world.home().join(".cline/hooks");
            assert_eq!(fs::read_to_string(folder.join("PreToolUse")).unwrap(), own);
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
        });
    assert_dialogue!(dialogue);
}

/// Hooks are unproven in Cursor, which may also run those of Claude Code.
#[test]
fn init_reports_unproven_and_existing_entries() {
    let init = |agent| ["init", agent, "--allow-build-path", "--no-protect"];
    let dialogue = Dialogue::new()
        .run(&init("claude"))
        .run(&init("cursor"))
        .run(&init("vscode"))
        .run(&[&init("devin")[..], &["--scope", "project"]].concat())
        .run(&[&init("vscode")[..], &["--json"]].concat())
        .run(&["uninstall", "claude"])
        .run(&init("vscode"))
        .run(&["uninstall", "vscode"])
        .run(&["prove", "cursor"]);
    assert_dialogue!(dialogue);
}

/// Unusual formats: a list of hooks, tables, flat entries with a name, a plugin.
#[test]
fn init_then_uninstall_leaves_no_trace() {
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

/// Other programs may need these folders.
#[test]
fn uninstall_keeps_empty_folders() {
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

/// Shared notices appear with the first agent; an agent without own entries is not listed.
#[test]
fn shared_notices_appear_once() {
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

/// A problem must be visible below the output of the other agents.
#[test]
fn init_summary_ends_with_problems() {
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
        let output = steady(&ran.stdout, &world);
        let (_, end) = output.split_once("\nAll agents\n").unwrap_or(("", output.as_str()));
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
