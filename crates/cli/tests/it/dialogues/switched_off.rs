//! `init`, `doctor` and `prove` report disabled hooks of an agent.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::placeholders::steady;
use crate::world::World;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Output of a command on both streams, and its exit code.
fn run(world: &World, arguments: &[&str]) -> (String, Option<i32>) {
    let ran = world.tenter(arguments).run();
    (steady(&format!("{}{}", ran.stdout, ran.stderr), world), ran.code)
}

/// The line of `prove` on the user's own settings.
fn own_settings(world: &World, agent: &str) -> String {
    let program = world.project().join("agent");
    fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let (output, _) = run(world, &["prove", agent, "--agent-path", "agent"]);
    let rows = output.lines().filter(|line| line.starts_with("your own settings: "));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn hooks_disabled_in_codex_are_reported() {
    let world = World::new();
    let config = world.home().join(".codex/config.toml");
    write(&config, "[features]\nhooks = false\n");
    let notice = "`features.hooks` is false in {home}/.codex/config.toml: Codex CLI runs no hook at all, and tenter is never called; remove that line";
    for first in ["Written.", "Nothing to do."] {
        let (init, code) = run(&world, &["init", "codex", "--allow-build-path", "--no-protect"]);
        assert!(init.contains(first) && init.contains(&format!("warning: {notice}")), "{init}");
        assert!(!init.contains("Installed.") && init.contains("Codex CLI  not called: "), "{init}");
        assert_eq!(code, Some(1));
    }
    let (doctor, code) = run(&world, &["doctor"]);
    assert!(doctor.contains(notice) && !doctor.contains("calls tenter at 11 events"), "{doctor}");
    assert!(doctor.contains("-> ${EDITOR:-vi} {home}/.codex/config.toml\n"), "{doctor}");
    assert_eq!(code, Some(1));
    assert!(own_settings(&world, "codex").contains(&format!("NOT EFFECTIVE: {notice}")));

    fs::write(&config, "[features]\nhooks = true\n").unwrap();
    let (init, code) = run(&world, &["init", "codex", "--allow-build-path", "--no-protect"]);
    assert!(!init.contains("not called") && code == Some(0), "{init}");
}

/// The setting of a trusted project overrides that of the user.
#[test]
fn project_disables_its_codex_hooks() {
    let world = World::new();
    let root = world.project();
    write(&root.join(".codex/config.toml"), "[features]\nhooks = false\n");
    let config = world.home().join(".codex/config.toml");
    write(&config, "");
    let init = &["init", "codex", "--allow-build-path", "--no-protect"][..];
    let (untrusted, code) = run(&world, init);
    assert!(untrusted.contains("Installed.") && !untrusted.contains("features.hooks"), "{untrusted}");
    assert_eq!(code, Some(0));

    write(&config, &format!("[projects.'{}']\ntrust_level = \"trusted\"\n", root.display()));
    let notice =
        "`features.hooks` is false in {project}/.codex/config.toml: Codex CLI runs no hook in this project";
    let (users, code) = run(&world, init);
    assert!(users.contains(notice) && !users.contains("not called:"), "{users}");
    assert_eq!(code, Some(0), "it is called everywhere else");
    let (projects, code) = run(&world, &[init, &["--scope", "project"]].concat());
    assert!(projects.contains(notice) && projects.contains("not called:"), "{projects}");
    assert_eq!(code, Some(1));
    let (doctor, _) = run(&world, &["doctor"]);
    assert!(doctor.contains(notice), "{doctor}");
}

/// `/hooks disable` of Gemini CLI saves the command of an unnamed hook.
#[test]
fn hook_disabled_in_gemini_is_reported() {
    let world = World::new();
    let settings = world.home().join(".gemini/settings.json");
    let init = &["init", "gemini", "--allow-build-path", "--no-protect"][..];
    assert_eq!(run(&world, init).1, Some(0));
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    let command = value["hooks"]["BeforeAgent"][0]["hooks"][0]["command"].clone();
    value["hooksConfig"] = json!({"disabled": ["another", command]});
    fs::write(&settings, value.to_string()).unwrap();

    let notice = "`hooksConfig.disabled` in this file names tenter's command: Gemini CLI does not call tenter at BeforeAgent; take it out of that list, or type `/hooks enable-all` in `gemini`";
    let (again, code) = run(&world, init);
    assert!(again.contains(notice) && again.contains("not called:"), "{again}");
    assert_eq!(code, Some(1));
    let (doctor, code) = run(&world, &["doctor"]);
    assert!(doctor.contains(notice) && code == Some(1), "{doctor}");
    let proven = own_settings(&world, "gemini");
    assert!(proven.contains("NOT EFFECTIVE") && proven.contains(notice), "{proven}");

    // The lists of all files count together.
    let project = world.project().join(".gemini/settings.json");
    write(&project, &json!({"hooksConfig": value["hooksConfig"]}).to_string());
    value["hooksConfig"] = json!({"disabled": ["another", "/old/tenter-hook gemini"]});
    fs::write(&settings, value.to_string()).unwrap();
    let (doctor, _) = run(&world, &["doctor"]);
    assert!(doctor.contains("does not call tenter; take it out"), "{doctor}");
    assert!(doctor.contains("-> ${EDITOR:-vi} {project}/.gemini/settings.json\n"), "{doctor}");
    fs::remove_file(project).unwrap();
    let (doctor, _) = run(&world, &["doctor"]);
    assert!(!doctor.contains("hooksConfig"), "what was disabled is called no more\n{doctor}");
}
