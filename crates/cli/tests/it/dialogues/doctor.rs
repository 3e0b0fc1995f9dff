//! `tenter doctor` on machines with and without problems.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use regex_lite::Regex;
use serde_json::Value;

use crate::placeholders::steady;
use crate::world::{World, bash};

/// Creates the folder that replaces `PATH`.
pub(super) fn bin(world: &World, programs: &[(&str, &str)]) {
    let folder = world.home().join("bin");
    fs::create_dir_all(&folder).unwrap();
    for (name, script) in programs {
        let program = folder.join(name);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Output and exit code, without timings and warnings about the build folder.
pub(super) fn doctor(world: &World) -> String {
    let ran = world.tenter(&["doctor"]).env("PATH", world.home().join("bin")).run();
    assert_eq!(ran.stderr, "");
    // `unshare` is missing here, but the machine may have no network anyway.
    let text =
        steady(&ran.stdout, world).replace(" (run with network access, which cannot be cut off here)", "");
    let latency = Regex::new("(?m)^(ok|warning|problem) +latency .*\n( +-> .*\n)?").unwrap();
    assert!(latency.is_match(&text), "{text}");
    let place = Regex::new("(?m)^warning +tenter +it lies .*\n +-> .*\n").unwrap();
    let text = place.replace_all(&text, "").into_owned();
    let text = latency.replace_all(&text, "{latency}\n");
    // Removed lines are not counted.
    let end = Regex::new("(?m)^(.+ found)(, [0-9]+ warnings?)?$").unwrap();
    let text = end.replace(&text, |end: &regex_lite::Captures| match warnings(&text) {
        0 => end[1].to_owned(),
        1 => format!("{}, 1 warning", &end[1]),
        more => format!("{}, {more} warnings", &end[1]),
    });
    format!("{text}(exit code {:?})\n", ran.code)
}

fn warnings(output: &str) -> usize {
    output.lines().filter(|line| line.starts_with("warning ")).count()
}

/// Installs tenter in Claude Code, because `doctor` reports a machine without agents.
pub(super) fn called_by_claude(world: &World) {
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
}

/// The last line mentions the warnings above it.
#[test]
fn last_line_counts_warnings() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("gemini", "echo 0.61.0"), ("grep", "")]);
    called_by_claude(&world);
    let ran = world.tenter(&["doctor"]).env("PATH", world.home().join("bin")).run();
    let count = warnings(&ran.stdout);
    assert!(count >= 1 && ran.stdout.contains("it does not call tenter"), "{ran:?}");
    assert!(
        ran.stdout.ends_with(&format!(
            "\nno problem found, {}\n",
            if count == 1 { "1 warning".to_owned() } else { format!("{count} warnings") }
        )),
        "{ran:?}"
    );
}

pub(super) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn healthy_machine_has_no_problem() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: no-ls, matcher: 'Bash(ls)', deny: 'No.' }\n",
    );
    bin(&world, &[("claude", "echo '2.1.197 (Claude Code)'"), ("gemini", "echo 0.61.0"), ("grep", "")]);
    for agent in ["claude", "gemini"] {
        assert_eq!(world.tenter(&["init", agent, "--allow-build-path"]).run().code, Some(0));
    }
    world.claude(&bash("ls")).run();
    let trail = fs::read(world.trail()).unwrap();
    insta::assert_snapshot!(doctor(&world));
    assert_eq!(fs::read(world.trail()).unwrap(), trail, "measuring leaves no record");
}

#[test]
fn version_query_writes_nothing_to_home() {
    let world = World::new();
    let leaves = "/bin/mkdir -p \"$HOME/.gemini/tmp\" \"$XDG_CONFIG_HOME/gemini\" && echo 0.61.0";
    let chosen = "test -e \"$HOME/.versions\" && echo 2.1.197";
    bin(&world, &[("gemini", leaves), ("claude", chosen), ("grep", "")]);
    fs::write(world.home().join(".versions"), "").unwrap();
    let text = doctor(&world);
    assert!(text.contains("0.61.0, ") && text.contains("2.1.197, "), "{text}");
    assert!(!world.home().join(".gemini").exists() && !world.config().join("gemini").exists());
}

#[test]
fn disabled_protection_is_reported() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path", "--no-protect"]).run().code, Some(0));
    let lines = |world: &World| {
        let text = doctor(world);
        let about = text.lines().skip_while(|line| !line.contains("  protection  ")).take(2);
        about.collect::<Vec<_>>().join("\n")
    };
    let absent = lines(&world);
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
    assert_eq!(world.tenter(&["hooks", "disable", "protect-config"]).run().code, Some(0));
    insta::assert_snapshot!(format!("{absent}\n{}", lines(&world)));
}

#[test]
fn missing_setup_is_reported() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    insta::assert_snapshot!(doctor(&world));
    assert!(!world.state().join("tenter").exists(), "looking makes nothing");
}

#[test]
fn each_problem_has_a_repair_command() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: gone, script: ./gone.sh }\n    - { name: plain, script: ./plain }\n    - { name: typo, mather: Bash, deny: 'No.' }\n    - { name: asleep, enabled: false, deny: 'No.' }\n",
    );
    fs::write(world.config().join("tenter/plain"), "").unwrap();
    bin(&world, &[("claude", "exit 1")]);
    world.claude(&bash("ls")).run();
    world.claude(&bash("ls")).run();
    let trail = fs::read_to_string(world.trail()).unwrap();
    fs::write(world.trail(), trail.replacen("ls", "rm", 1)).unwrap();
    set_mode(&world.state().join("tenter"), 0o755);
    world.write_settings(
        r#"{ "disableAllHooks": true, "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "/old/tenter hook claude" }] }] } }"#,
    );
    assert_eq!(
        world.tenter(&["init", "claude", "--allow-build-path", "--scope", "local"]).run().code,
        Some(0)
    );
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    fs::write(world.home().join(".gemini/settings.json"), "{").unwrap();
    insta::assert_snapshot!(doctor(&world));
    repairs_can_be_typed(&world);
    fs::remove_file(world.state().join("tenter/audit/key")).unwrap();
    repairs_can_be_typed(&world);
}

#[test]
fn different_tenter_binary_is_reported() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("tenter", ""), ("grep", "")]);
    for (program, noticed) in [("tenter", true), (env!("CARGO_BIN_EXE_tenter"), false)] {
        world.write_settings(&format!(
            r#"{{ "hooks": {{ "Stop": [{{ "hooks": [{{ "type": "command", "command": "{program} hook claude" }}] }}] }} }}"#
        ));
        let output = doctor(&world);
        assert_eq!(
            output.contains("calls tenter, which is not the tenter that is running"),
            noticed,
            "{output}"
        );
    }
}

/// An editor may contain its own copy of the agent, so the entries stay.
#[test]
fn agent_outside_path_is_no_problem() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(0));
    let output = doctor(&world);
    let expected = "ok       Claude Code  not on PATH, so its version is unknown; if you removed it, run `tenter uninstall claude`\n";
    assert!(
        output.contains(expected) && output.ends_with("no problem found\n(exit code Some(0))\n"),
        "{output}"
    );
}

/// Two lines of the report must not contradict each other.
#[test]
fn disabled_entries_are_not_active() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    world.write_settings("{ \"disableAllHooks\": true }\n");
    assert_eq!(world.tenter(&["init", "claude", "--allow-build-path"]).run().code, Some(1));
    let output = doctor(&world);
    assert!(output.contains("disableAllHooks") && !output.contains("calls tenter at"), "{output}");
}

/// Updating entries keeps `--strict`, and `doctor` reports its effect.
#[test]
fn strict_entries_report_a_missing_binary() {
    for agent in ["claude", "cline", "opencode"] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        let init = |more: &[&str]| {
            let ran = world.tenter(&[&["init", agent, "--allow-build-path"], more].concat()).run();
            assert_eq!(ran.code, Some(0), "{ran:?}");
            ran.stdout
        };
        init(&["--strict"]);
        let again = init(&[]);
        assert!(again.contains("Nothing to do.") && again.contains("its entries stay strict"), "{again}");
        let tenter = Path::new(env!("CARGO_BIN_EXE_tenter")).parent().unwrap().to_string_lossy().into_owned();
        let moved = world.sh(&format!(
            "for file in $(grep -rlF '{tenter}' \"$HOME\" \"$XDG_CONFIG_HOME\"); do sed -i 's#{tenter}#/gone#g' $file; done"
        ));
        assert_eq!(moved.code, Some(0), "{moved:?}");
        let output = doctor(&world);
        assert!(output.contains("no hook runs, and tool calls are denied"), "{output}");
        assert!(output.contains(&format!("-> tenter init {agent}\n")), "{output}");
        let mended = init(&[]);
        assert!(mended.contains("its entries stay strict"), "{mended}");
        assert!(!init(&["--no-strict"]).contains("stay strict"));
        assert!(init(&[]).contains("Nothing to do."));
        assert!(!init(&[]).contains("stay strict"));
    }
}

/// `init` writes every file of Cline, including the one for an event without a standard name.
#[test]
fn init_covers_every_event() {
    for agent in tenter_adapters::names() {
        let world = World::new();
        bin(&world, &[(agent.as_str(), "echo 1.0"), ("grep", "")]);
        world.tenter(&["init", agent.as_str(), "--allow-build-path"]).run();
        world.tenter(&["init", agent.as_str(), "--allow-build-path", "--scope", "project"]).run();
        let output = doctor(&world);
        assert!(!output.contains("does not call tenter at"), "{agent}: {output}");
    }
}

/// `tenter init` would fail on the same file.
#[test]
fn unreadable_settings_are_repaired_first() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    world.write_settings("garbage");
    let output = doctor(&world);
    assert!(
        output.contains("settings.json cannot be read") && !output.contains("tenter init claude"),
        "{output}"
    );
}

/// The agent fails on such a file, so `doctor` proposes no change.
#[test]
fn invalid_hooks_value_has_its_position() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    for (settings, problem) in [
        (r#"{ "hooks": { "Stop": {} } }"#, "`hooks.Stop` is not a list, `[ … ]`"),
        (
            r#"{ "hooks": { "PreToolUse": "tenter hook claude" } }"#,
            "`hooks.PreToolUse` is not a list, `[ … ]`",
        ),
        (r#"{ "hooks": [] }"#, "`hooks` is not an object, `{ … }`"),
    ] {
        world.write_settings(settings);
        let output = doctor(&world);
        let expected =
            format!("problem  Claude Code  {{home}}/.claude/settings.json cannot be read: {problem}\n");
        assert!(output.contains(&expected), "{output}");
        assert!(output.contains("-> ${EDITOR:-vi} {home}/.claude/settings.json\n"), "{output}");
        assert!(output.contains("1 problem found\n(exit code Some(1))"), "{output}");
    }
}

/// In Gemini CLI the entries of a project leave events to those of the user; Claude Code runs both.
#[test]
fn duplicate_entries_are_reported() {
    for (agent, twice) in [("claude", true), ("gemini", false)] {
        let world = World::new();
        bin(&world, &[(agent, "echo 1.0"), ("grep", "")]);
        for scope in ["user", "project"] {
            let options = ["init", agent, "--allow-build-path", "--scope", scope];
            let ran = world.tenter(&options).run();
            assert_eq!(ran.stderr.contains("run twice"), twice && scope == "project", "{ran:?}");
        }
        let output = doctor(&world);
        assert_eq!(output.contains("hooks run more than once"), twice, "{output}");
        assert_eq!(output.contains("tenter answers only the calls from"), !twice, "{output}");
        if !twice {
            continue;
        }
        let options = ["init", agent, "--allow-build-path", "--scope", "project", "--strict"];
        assert!(world.tenter(&options).run().stderr.contains("run twice"), "{agent}: another command");
        assert!(doctor(&world).contains("hooks run more than once"), "{agent}: another command");
    }
}

/// `doctor` measures one installed entry, not the one `init` would write.
#[test]
fn installed_entry_is_measured() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    assert_eq!(world.tenter(&["init", "gemini", "--allow-build-path"]).run().code, Some(0));
    let tenter = env!("CARGO_BIN_EXE_tenter");
    let measured = |entry: &str| {
        world.write_settings(&format!(
            r#"{{ "hooks": {{ "Stop": [{{ "hooks": [{{ "type": "command", "command": "{entry}" }}] }}] }} }}"#
        ));
        let ran = world.tenter(&["doctor"]).env("PATH", world.home().join("bin")).run();
        ran.stdout.lines().filter(|line| line.contains(" latency ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let [own] = measured(&format!("{tenter} hook claude --within 5s")).try_into().unwrap();
    assert!(own.contains("a call of Claude Code with nothing to do"), "{own}");
    let [fails] = measured(&format!("{tenter} hook claude --no-such-option")).try_into().unwrap();
    assert!(fails.starts_with("problem") && fails.contains("--no-such-option"), "{fails}");
    let [plain] = measured(&format!("{tenter} hook claude --config mine.yaml")).try_into().unwrap();
    assert!(
        plain.contains("a call of Gemini CLI with nothing to do"),
        "an entry with hooks of its own: {plain}"
    );
    assert_eq!(world.tenter(&["uninstall", "gemini"]).run().code, Some(0));
    let [plain] = measured(&format!("{tenter} hook claude --config mine.yaml")).try_into().unwrap();
    assert!(plain.contains("ms for a call with nothing to do"), "{plain}");
}

/// Every repair is a shell command that starts with a program.
fn repairs_can_be_typed(world: &World) {
    let ran = world.tenter(&["doctor", "--json"]).env("PATH", world.home().join("bin")).run();
    let output: Value = serde_json::from_str(&ran.stdout).unwrap();
    let known = [
        "tenter",
        "${EDITOR:-vi}",
        "chmod",
        "mv",
        "cp",
        "cat",
        "cargo",
        "export",
        "eval",
        "ls",
        "df",
        "sudo",
    ];
    for check in output["checks"].as_array().unwrap() {
        let Some(repair) = check["repair"].as_str() else { continue };
        let first = repair.split(' ').next().unwrap();
        let is_path = first.starts_with('/');
        assert!(is_path || known.contains(&first), "{repair}");
        let parsed = Command::new("/bin/sh").args(["-n", "-c", repair]).status().unwrap();
        assert!(parsed.success() && !repair.contains('…'), "{repair}");
    }
}

#[test]
fn json_has_every_check() {
    let world = World::new();
    called_by_claude(&world);
    let ran = world.tenter(&["doctor", "--json"]).env("PATH", world.home().join("bin")).run();
    let output: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &output["healthy"]), (Some(0), &Value::Bool(true)), "{output}");
    for check in output["checks"].as_array().unwrap() {
        let ok = check["result"] == "ok";
        assert_eq!(check["repair"].is_null(), ok, "every problem has a repair: {check}");
    }
}

/// Agents that read foreign files, one of them unproven.
#[test]
fn doctor_names_foreign_files() {
    let world = World::new();
    bin(&world, &[("cursor", "echo 2.9.0"), ("code", "echo 1.120"), ("devin", "echo 1")]);
    for (agent, scope) in [("devin", "project"), ("claude", "user"), ("cursor", "user")] {
        let ran =
            world.tenter(&["init", agent, "--scope", scope, "--allow-build-path", "--no-protect"]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    insta::assert_snapshot!(doctor(&world));
}

/// Copilot CLI runs both; project entries name their scope and yield to those of the user.
#[test]
fn copilot_files_share_the_events() {
    let world = World::new();
    bin(&world, &[("copilot", "echo 1.0.102")]);
    for options in [&[][..], &["--scope", "project"]] {
        let ran =
            world.tenter(&[&["init", "copilot", "--allow-build-path", "--no-protect"], options].concat());
        let ran = ran.run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let shared = ran.stdout.contains("stay silent, so that hooks run once");
        assert_eq!(shared, !options.is_empty(), "{ran:?}");
        assert!(!ran.stderr.contains("twice"), "{ran:?}");
    }
    let output = doctor(&world);
    assert!(
        output.contains("hooks/tenter.json calls tenter too; tenter answers only the calls from "),
        "{output}"
    );
    assert!(!output.contains("more than once"), "{output}");
    // One that was written before entries output where they stand.
    let project = world.project().join(".github/hooks/tenter.json");
    let text = fs::read_to_string(&project).unwrap().replace(" --scope project", "");
    fs::write(&project, text).unwrap();
    assert!(doctor(&world).contains("hooks run more than once"));
    let again = world.tenter(&["init", "copilot", "--allow-build-path", "--scope", "project"]).run();
    assert!(again.stdout.contains("stay silent"), "{again:?}");
    assert!(!doctor(&world).contains("more than once"));
}
