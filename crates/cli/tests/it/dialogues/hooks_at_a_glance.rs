//! `tenter hooks list` and `doctor`: only hooks that can run are listed as on and counted.

use std::fs;

use crate::world::{World, bash};

const HOOKS: &str = "version: 1
hooks:
  tool:pre:
    - { name: guard, script: gone.sh, on_failure: deny }
    - { name: program, command: [no-such-program, x] }
    - { name: path, command: \"/nowhere/check {tool.path}\" }
    - { name: shell, command: \"test -e x || exit 2\" }
    - { name: same, matcher: Bash, agents: [claude, \"!reviewer\"], deny: \"no\" }
agents:
  reviewer:
    hooks:
      tool:pre: [ { name: own, deny: \"no\" } ]
";

#[test]
fn hook_without_program_is_off() {
    let world = World::with_hooks(HOOKS);
    let listed = world.tenter(&["hooks", "list"]).run();
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(listed.stdout.contains("3 on, 0 off, 3 cannot start"), "{listed:?}");
    for (name, what) in [("guard", "gone.sh"), ("program", "no-such-program"), ("path", "/nowhere/check")] {
        let is_it = |line: &str| line.contains(&format!("user/{name}:")) && line.contains(what);
        assert!(listed.stdout.lines().any(is_it), "{name}: {listed:?}");
    }
    let json = world.tenter(&["hooks", "list", "--json"]).run();
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["cannot_start"].as_array().map(Vec::len), Some(3), "{json}");
    let doctor = world.tenter(&["doctor"]).run();
    assert!(doctor.stdout.contains("there is no program `no-such-program`"), "{doctor:?}");
}

#[test]
fn list_shows_agents_and_distinguishes_equal_names() {
    let world = World::with_hooks(HOOKS);
    let own = world.project().join(".tenter");
    fs::create_dir_all(&own).unwrap();
    let text = "version: 1\nhooks:\n  tool:pre: [ { name: same, deny: \"no\" } ]\n";
    fs::write(own.join("hooks.yaml"), text).unwrap();
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    let listed = world.tenter(&["hooks", "list"]).run().stdout;
    let line = |hook: &str| listed.lines().find(|line| line.starts_with(hook)).unwrap_or_default().to_owned();
    assert!(line("user/same ").contains("claude, !reviewer"), "{listed}");
    assert!(line("user/own ").contains("reviewer"), "{listed}");
    assert!(line("project/same ").contains(" all "), "{listed}");
}

/// The deny of a broken file is a problem, not a hook.
#[test]
fn broken_file_has_no_phantom_hooks() {
    let world = World::with_hooks("hooks: { tool:pre: [ { name: guard, deny: \"no\n");
    for command in [&["hooks", "list"][..], &["doctor"]] {
        let ran = world.tenter(command).run();
        assert!(ran.stdout.contains("0 on, 0 off"), "{command:?}: {ran:?}");
        assert!(!ran.stdout.contains("broken hook file"), "{command:?}: {ran:?}");
    }
}

#[test]
fn doctor_without_home_or_agent_fails() {
    let world = World::with_hooks(HOOKS);
    let without_agent = world.tenter(&["doctor"]).env("PATH", world.home().join("bin")).run();
    assert_eq!(without_agent.code, Some(1), "{without_agent:?}");
    assert!(without_agent.stdout.contains("no agent was found on this machine"), "{without_agent:?}");
    let call = world.tenter(&["doctor"]).without("HOME").without("XDG_CONFIG_HOME").without("XDG_STATE_HOME");
    let Some(call) = call.with_account(&world.home()) else { return };
    let homeless = call.run();
    assert_eq!(homeless.code, Some(1), "{homeless:?}");
    assert!(homeless.stdout.contains("no absolute path is named"), "{homeless:?}");
}

/// Needs root, which then runs with the home of another user.
#[test]
fn root_writes_nothing_to_user_homes() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new();
    let user = world.home().with_file_name("ann");
    let config = user.join(".config/tenter");
    fs::create_dir_all(&config).unwrap();
    let guard = "version: 1\nhooks:\n  tool:pre: [ { name: guard, deny: \"no\" } ]\n";
    fs::write(config.join("hooks.yaml"), guard).unwrap();
    let below = ["", ".config", ".config/tenter", ".config/tenter/hooks.yaml"];
    for path in below {
        std::os::unix::fs::chown(user.join(path), Some(1234), Some(1234)).unwrap();
    }
    let as_root = |call: crate::world::Call| {
        let call = call.without("XDG_CONFIG_HOME").without("XDG_STATE_HOME").env("HOME", &user);
        call.with_account(&world.home()).map(crate::world::Call::run)
    };
    let Some(denied) = as_root(world.claude(&bash("ls"))) else { return };
    assert!(denied.stdout.contains("\"deny\""), "{denied:?}");
    let doctor = as_root(world.tenter(&["doctor"])).unwrap();
    assert!(doctor.stdout.contains("root runs with the home of another user"), "{doctor:?}");
    assert!(doctor.stdout.contains("sudo -H") && !doctor.stdout.contains("chown"), "{doctor:?}");
    let mut folders = vec![user.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            use std::os::unix::fs::MetadataExt;
            assert_eq!(entry.metadata().unwrap().uid(), 1234, "{:?}", entry.path());
            if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
    }
}

#[test]
fn new_server_hook_explains_the_request() {
    for (event, how) in [("tool:pre", "by POST"), ("prompt:submit", "by GET"), ("UserPromptSubmit", "by GET")]
    {
        let world = World::new();
        let ran = world.tenter(&["hooks", "new", "ask-server", "--kind", "http", "--event", event]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let written = fs::read_to_string(world.config().join("tenter/hooks.yaml")).unwrap();
        assert!(written.contains(how), "{event}: {written}");
    }
}

/// The system does not execute a script whose interpreter is missing.
#[test]
fn script_with_invalid_shebang_is_off() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with_hooks(
        "version: 1
hooks:
  tool:pre:
    - { name: crlf, script: crlf }
    - { name: gone, script: gone.sh }
    - { name: env, script: env }
    - { name: argv, command: [\"~/argv\"] }
    - { name: plain, script: plain.py }
    - { name: good, script: good }
",
    );
    let folder = world.config().join("tenter");
    for (file, text, mode) in [
        (folder.join("crlf"), "#!/bin/sh\r\nexit 0\r\n", 0o755),
        (folder.join("gone.sh"), "#!/nowhere/sh\nexit 0\n", 0o755),
        (folder.join("env"), "#!/usr/bin/env -S no-such-program -x\n", 0o755),
        (world.home().join("argv"), "#!/bin/sh\r\nexit 0\n", 0o755),
        (folder.join("plain.py"), "print()\r\n", 0o644),
        (folder.join("good"), "#!/usr/bin/env sh\nexit 0\n", 0o755),
    ] {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    }
    let listed = world.tenter(&["hooks", "list"]).run();
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(listed.stdout.contains("2 on, 0 off, 4 cannot start"), "{listed:?}");
    for (name, what) in [
        ("crlf", "(CRLF)"),
        ("gone", "names /nowhere/sh, which does not exist"),
        ("env", "names `no-such-program`, which does not exist"),
        ("argv", "(CRLF)"),
    ] {
        let is_it = |line: &str| line.contains(&format!("user/{name}:")) && line.contains(what);
        assert!(listed.stdout.lines().any(is_it), "{name}: {listed:?}");
    }
}
