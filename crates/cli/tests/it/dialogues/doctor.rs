//! `tenter doctor`, on a healthy machine and on a sick one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use regex_lite::Regex;
use serde_json::Value;

use crate::placeholders::steady;
use crate::world::{World, bash};

/// A folder of programs in the place of the machine's own.
fn bin(world: &World, programs: &[(&str, &str)]) {
    let folder = world.home().join("bin");
    fs::create_dir_all(&folder).unwrap();
    for (name, script) in programs {
        let program = folder.join(name);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// What it says and its exit code. How fast this machine is, and whether tests run in a build folder, is left
/// out.
fn doctor(world: &World) -> String {
    let ran = world.tenter(&["doctor"]).env("PATH", world.home().join("bin")).run();
    assert_eq!(ran.stderr, "");
    let text = steady(&ran.stdout, world);
    let latency = Regex::new("(?m)^(ok|warning) +latency .*\n( +-> .*\n)?").unwrap();
    assert!(latency.is_match(&text), "{text}");
    let place = Regex::new("(?m)^warning +tenter +it lies .*\n +-> .*\n").unwrap();
    let text = place.replace_all(&text, "").into_owned();
    let text = latency.replace_all(&text, "{latency}\n");
    format!("{text}(exit code {:?})\n", ran.code)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_healthy_machine_has_no_problem() {
    let world = World::with_hooks(
        "version: 1\nhooks: { tool:pre: [ { name: no-ls, matcher: 'Bash(ls)', deny: 'No.' } ] }\n",
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
fn nobody_has_set_up_anything_yet() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("grep", "")]);
    insta::assert_snapshot!(doctor(&world));
    assert!(!world.state().join("tenter").exists(), "looking makes nothing");
}

#[test]
fn a_sick_machine_is_told_what_to_type() {
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
}

#[test]
fn a_key_that_others_may_read_is_told_once() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    world.claude(&bash("ls")).run();
    set_mode(&world.state().join("tenter/audit/key"), 0o644);
    let said = doctor(&world);
    assert!(
        said.contains("problem  trail        others may look into {state}/tenter/audit/key (mode 644)"),
        "{said}"
    );
    assert!(
        said.contains("-> chmod go= {state}/tenter/audit/key") && said.contains("1 problem found"),
        "{said}"
    );
}

#[test]
fn another_tenter_than_the_installed_one_is_noticed() {
    let world = World::new();
    bin(&world, &[("claude", "echo 2.1.197"), ("tenter", ""), ("grep", "")]);
    for (program, noticed) in [("tenter", true), (env!("CARGO_BIN_EXE_tenter"), false)] {
        world.write_settings(&format!(
            r#"{{ "hooks": {{ "Stop": [{{ "hooks": [{{ "type": "command", "command": "{program} hook claude" }}] }}] }} }}"#
        ));
        let said = doctor(&world);
        assert_eq!(said.contains("calls tenter, which is not the tenter that is running"), noticed, "{said}");
    }
}

#[test]
fn programs_get_json() {
    let world = World::new();
    let ran = world.tenter(&["doctor", "--json"]).env("PATH", world.home().join("bin")).run();
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &said["healthy"]), (Some(0), &Value::Bool(true)), "{said}");
    for check in said["checks"].as_array().unwrap() {
        let ok = check["result"] == "ok";
        assert_eq!(check["repair"].is_null(), ok, "every finding says what to type: {check}");
    }
}
