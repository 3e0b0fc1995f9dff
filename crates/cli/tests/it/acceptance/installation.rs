//! The installed command works when a shell runs it as the agent does.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::world::{REASON, World, bash};

const GUARD: &str =
    "version: 1\nhooks: { tool:pre: [ { name: no-ls, matcher: 'Bash(ls)', deny: 'No.' } ] }\n";

fn init(world: &World, options: &[&str]) {
    let ran = world.tenter(&[&["init", "claude", "--allow-build-path"], options].concat()).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// The command installed for an event.
fn command(world: &World, event: &str) -> String {
    let settings: Value = serde_json::from_str(&fs::read_to_string(world.settings()).unwrap()).unwrap();
    settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

/// A copy of the program that can be taken away, at a path that needs quoting.
fn own_copy(world: &World) -> std::path::PathBuf {
    let folder = world.home().join("it's \"my\" $HOME; bin");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("tenter");
    fs::copy(env!("CARGO_BIN_EXE_tenter"), &program).unwrap();
    program
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn installed_command_answers_for_unusual_paths() {
    let world = World::with_hooks(GUARD);
    let program = own_copy(&world);
    let ran = world.run(&program, &["init", "claude", "--allow-build-path"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let answer = world.sh_with(&command(&world, "PreToolUse"), &bash("ls"));
    assert_eq!(answer.field(REASON), "Operation denied by no-ls: No.");
}

#[test]
fn missing_program_denies_only_in_strict_mode() {
    for (options, event, code) in [
        (&[][..], "PreToolUse", 0),
        (&["--strict"], "PreToolUse", 2),
        (&["--strict"], "UserPromptSubmit", 2),
        (&["--strict"], "PermissionRequest", 2),
        (&["--strict"], "Stop", 0),
        (&["--strict"], "PreCompact", 0),
    ] {
        let world = World::with_hooks(GUARD);
        let program = own_copy(&world);
        world.run(&program, &[&["init", "claude", "--allow-build-path"], options].concat());
        fs::remove_file(&program).unwrap();
        let ran = world.sh_with(&command(&world, event), &bash("ls"));
        assert_eq!(
            (ran.code, ran.stdout.is_empty()),
            (Some(code), code == 0),
            "{event} {options:?}: {ran:?}"
        );
        let says_why = ran.stderr.contains("tenter is gone from") && ran.stderr.lines().count() == 1;
        assert_eq!(says_why, code == 2, "{event} {options:?}: {ran:?}");
        assert!(code == 2 || ran.stderr.is_empty(), "{ran:?}");
    }
}

/// Gemini CLI treats any text with an exit code of 2 or more as a deny, and shows all text.
#[test]
fn gemini_ignores_missing_program_unless_strict() {
    for (options, event, code) in [
        (&[][..], "BeforeTool", 0),
        (&["--strict"], "BeforeTool", 2),
        (&["--strict"], "BeforeAgent", 2),
        (&["--strict"], "AfterAgent", 0),
    ] {
        let world = World::with_hooks(GUARD);
        let program = own_copy(&world);
        world.run(&program, &[&["init", "gemini", "--allow-build-path"], options].concat());
        let text = fs::read_to_string(world.home().join(".gemini/settings.json")).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        fs::remove_file(&program).unwrap();
        let ran = world.sh_with(command, "{}");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{event} {options:?}: {ran:?}");
        assert_eq!(ran.stderr.is_empty(), code == 0, "{event} {options:?}: {ran:?}");
    }
}

/// Copilot CLI accepts a prompt despite any exit code, and shows no reason when an exit code denies a tool call.
#[test]
fn strict_copilot_deny_explains_missing_program() {
    for (options, event, decision, reason) in [
        (&["--strict"][..], "UserPromptSubmit", "/decision", "/reason"),
        (&["--strict"], "PreToolUse", "/hookSpecificOutput/permissionDecision", REASON),
        (&["--strict"], "PermissionRequest", "/behavior", "/message"),
        (&["--strict"], "Stop", "", ""),
        (&[], "UserPromptSubmit", "", ""),
        (&[], "PreToolUse", "", ""),
    ] {
        let world = World::with_hooks(GUARD);
        let program = own_copy(&world);
        world.run(&program, &[&["init", "copilot", "--allow-build-path"], options].concat());
        let text = fs::read_to_string(world.home().join(".copilot/hooks/tenter.json")).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        fs::remove_file(&program).unwrap();
        let ran = world.sh_with(command, "{}");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{event} {options:?}: {ran:?}");
        if decision.is_empty() {
            assert_eq!(ran.stdout, "", "{event} {options:?}");
            continue;
        }
        assert!(["deny", "block"].contains(&ran.field(decision).as_str()), "{event}: {ran:?}");
        let gone = format!("tenter is gone from {}: install it again", program.display());
        assert!(ran.field(reason).starts_with(&gone), "{event}: {ran:?}");
    }
}

#[test]
fn command_timeout_equals_agent_timeout() {
    let world = World::new();
    init(&world, &[]);
    let settings: Value = serde_json::from_str(&fs::read_to_string(world.settings()).unwrap()).unwrap();
    for (event, groups) in settings["hooks"].as_object().unwrap() {
        let handler = &groups[0]["hooks"][0];
        let within = format!(" --within {}s", handler["timeout"]);
        assert!(
            handler["command"].as_str().unwrap().contains(&format!("{within} --installation ")),
            "{event}: {handler}"
        );
    }
}

#[test]
fn init_keeps_links_permissions_and_first_backup() {
    let world = World::new();
    let real = world.home().join("dotfiles.json");
    fs::write(&real, "{}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(world.settings().parent().unwrap()).unwrap();
    symlink("../dotfiles.json", world.settings()).unwrap();
    init(&world, &[]);
    init(&world, &["--strict"]);
    assert!(world.settings().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("exit 2"));
    assert_eq!(mode(&real), 0o640);
    let backup = world.home().join(".claude/settings.json.tenter-backup");
    assert_eq!((mode(&backup), fs::read_to_string(&backup).unwrap().as_str()), (0o600, "{}"));
    assert_eq!(world.tenter(&["uninstall", "claude"]).run().code, Some(0));
    assert_eq!((mode(&real), fs::read_to_string(&real).unwrap().as_str()), (0o640, "{}"));
    assert!(world.settings().is_symlink() && !backup.exists());
}

#[test]
fn init_finds_the_agents_settings_path() {
    let world = World::new();
    let elsewhere = world.home().join("elsewhere");
    let init = || world.tenter(&["init", "claude", "--allow-build-path"]);
    assert_eq!(init().env("CLAUDE_CONFIG_DIR", &elsewhere).run().code, Some(0));
    assert!(elsewhere.join("settings.json").exists() && !world.settings().exists());
    let relative = init().env("CLAUDE_CONFIG_DIR", "elsewhere").run();
    assert_eq!((relative.code, relative.stdout.as_str()), (Some(3), ""), "{relative:?}");
    let nowhere = init().without("HOME").run();
    assert_eq!(nowhere.code, Some(3), "{nowhere:?}");
    for (scope, file) in [("project", "settings.json"), ("local", "settings.local.json")] {
        let options = ["init", "claude", "--allow-build-path", "--scope", scope];
        assert_eq!(world.tenter(&options).run().code, Some(0));
        assert!(world.project().join(".claude").join(file).exists(), "{scope}");
    }
}

/// Claude Code 2.1.197 ignores such a file silently, so tenter reports it.
#[test]
fn settings_unreadable_for_agent_fail_init() {
    for (settings, notice) in [
        ("{\n  // mine\n  \"model\": \"x\"\n}\n", "out of line 2"),
        ("{ \"model\": \"x\", }\n", "not strict JSON"),
        ("{ \"statusLine\": null }\n", "`statusLine` is null"),
    ] {
        let world = World::new();
        world.write_settings(settings);
        let init = world.tenter(&["init", "claude", "--allow-build-path"]).run();
        assert_eq!(init.code, Some(1), "{init:?}");
        assert!(init.stderr.contains(notice), "{init:?}");
        let doctor = world.tenter(&["doctor"]).run();
        assert!(doctor.stdout.contains("problem") && doctor.stdout.contains(notice), "{doctor:?}");
        assert_eq!(world.tenter(&["uninstall", "claude"]).run().code, Some(0));
        assert_eq!(fs::read_to_string(world.settings()).unwrap(), settings);
    }
}

/// Gemini CLI refuses to start with such a file, and Claude Code reads it.
#[test]
fn unsupported_byte_order_mark_fails_init() {
    let world = World::new();
    for (agent, folder, code) in [("claude", ".claude", 0), ("gemini", ".gemini", 1), ("qwen", ".qwen", 1)] {
        let file = world.home().join(folder).join("settings.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "\u{FEFF}{}\n").unwrap();
        let init = world.tenter(&["init", agent, "--allow-build-path"]).run();
        assert_eq!(init.code, Some(code), "{init:?}");
        assert_eq!(init.stderr.contains("save it as UTF-8 without BOM"), code == 1, "{init:?}");
    }
    let doctor = world.tenter(&["doctor"]).run().stdout;
    assert_eq!(doctor.matches("byte order mark").count(), 2, "{doctor}");
}

/// An outdated backup is not the original file.
#[test]
fn uninstall_ignores_outdated_backup() {
    let world = World::new();
    let today = "{\n  \"Stop\"  : [ ],\n  \"hooks\":{}\n}\n";
    world.write_settings(today);
    fs::write(world.home().join(".claude/settings.json.tenter-backup"), "{\"old\": true}").unwrap();
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
    assert_eq!(world.tenter(&["uninstall", "claude"]).run().code, Some(0));
    assert_eq!(fs::read_to_string(world.settings()).unwrap(), today);
}

/// Security case C4: hook configuration is protected as soon as `init` has run, including files that do not
/// exist yet. Only the user can disable the protection, not the agent.
#[test]
fn agent_cannot_disarm_hooks_after_init() {
    let world = World::new();
    init(&world, &[]);
    let refused = |payload: &str| {
        let ran = world.claude(payload).run();
        assert!(ran.field(REASON).contains("protect.config keeps agents from"), "{payload}: {ran:?}");
    };
    let write = |id: usize, path: &Path| {
        serde_json::json!({
            "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": world.project(),
            "tool_name": "Write", "tool_use_id": format!("toolu_{id}"),
            "tool_input": {"file_path": path, "content": "{}"},
        })
        .to_string()
    };
    let files = [
        world.settings(),
        world.project().join(".claude/settings.local.json"),
        world.config().join("tenter/hooks.yaml"),
        world.config().join("tenter/hooks.json"),
        world.state().join("tenter/disabled.json"),
        world.project().join(".tenter/hooks.local.yaml"),
    ];
    for (id, file) in files.iter().enumerate() {
        refused(&write(id, file));
    }
    for line in [
        "echo '{\"disableAllHooks\": true}' > .claude/settings.json",
        "cat >> ~/.claude/settings.json <<EOF\n{}\nEOF",
        "tenter hooks disable protect-config",
        "tenter uninstall claude",
        "tenter trust --yes",
        "tenter approvals answer k7q2mf3a Allow",
        "tenter approvals allow protect-config '*'",
    ] {
        refused(&bash(line));
    }
    assert_eq!(world.claude(&bash("ls")).run().stdout, "", "everything else goes on");
    // The user can disable it.
    assert_eq!(world.tenter(&["hooks", "disable", "protect-config"]).run().code, Some(0));
    assert_eq!(world.claude(&bash("tenter hooks disable x")).run().stdout, "");
}

/// Protection examines the call in tenter-hook itself and never starts a second program.
#[test]
fn protection_needs_only_tenter_hook() {
    let world = World::new();
    init(&world, &[]);
    // The full program compiles the file once.
    world.sh("find \"$XDG_CONFIG_HOME/tenter\" \"$HOME\" -exec touch -d '10 seconds ago' {} +");
    world.claude(&bash("ls")).run();
    let alone = world.home().join("bin");
    fs::create_dir_all(&alone).unwrap();
    let program = alone.join("tenter-hook");
    fs::copy(env!("CARGO_BIN_EXE_tenter-hook"), &program).unwrap();
    let ran = world.program(&program, &["claude"]).stdin(bash("rm ~/.claude/settings.json")).run();
    assert!(ran.field(REASON).contains("protect.config"), "{ran:?}");
    assert_eq!(ran.stderr, "");
}
