//! `tenter uninstall`: remaining settings and files.

use std::fs;

use super::init::{INIT, SETTINGS};
use super::{Dialogue, assert_dialogue};
use crate::world::World;

fn after_init(settings: Option<&str>) -> Dialogue {
    let world = World::new();
    if let Some(settings) = settings {
        world.write_settings(settings);
    }
    assert_eq!(world.tenter(INIT).run().code, Some(0));
    Dialogue::in_world(world)
}

#[test]
fn uninstall_restores_the_settings_bytes() {
    let dialogue = after_init(Some(SETTINGS))
        .run(&["uninstall", "claude", "--dry-run"])
        .run(&["uninstall", "claude", "--json"])
        .run(&["uninstall", "claude"]);
    assert_eq!(fs::read_to_string(dialogue.world.settings()).unwrap(), SETTINGS);
    let left: Vec<_> = fs::read_dir(dialogue.world.home().join(".claude")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_dialogue!(dialogue);
}

#[test]
fn uninstall_keeps_later_changes() {
    let dialogue = after_init(Some(SETTINGS))
        .step("the model is changed", |world| {
            let text = fs::read_to_string(world.settings()).unwrap();
            fs::write(world.settings(), text.replace("opus", "sonnet")).unwrap();
        })
        .run(&["uninstall", "claude"]);
    let expected = SETTINGS.replace("opus", "sonnet");
    assert_eq!(fs::read_to_string(dialogue.world.settings()).unwrap(), expected);
    assert_dialogue!(dialogue);
}

#[test]
fn uninstall_removes_created_files() {
    let dialogue = after_init(None).run(&["uninstall", "claude"]).run(&["uninstall", "claude"]);
    for made in [dialogue.world.home().join(".claude"), dialogue.world.config().join("tenter")] {
        assert!(!made.exists(), "no empty folder is left: {}", made.display());
    }
    assert_dialogue!(dialogue);
}

/// A new machine has no `.config`.
#[test]
fn uninstall_removes_only_created_folders() {
    for (before, after) in [
        (None, &[][..]),
        (Some(".config"), &[".config"]),
        (Some(".config/other"), &[".config", ".config/other"]),
    ] {
        let world = World::new();
        if let Some(folder) = before {
            fs::create_dir_all(world.home().join(folder)).unwrap();
        }
        for command in [INIT, &["uninstall", "claude"]] {
            let ran = world.tenter(command).without("XDG_CONFIG_HOME").run();
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
        let left: Vec<&str> = [".config", ".config/other", ".config/tenter", ".claude"]
            .into_iter()
            .filter(|name| world.home().join(name).exists())
            .collect();
        assert_eq!(left, after, "{before:?}");
    }
}

#[test]
fn uninstall_reports_invalid_input() {
    let dialogue = Dialogue::new()
        .run(&["uninstall", "clude"])
        .step("the settings are half a file", |world| world.write_settings("{ \"hooks\": {"))
        .run(&["uninstall", "claude"]);
    assert_dialogue!(dialogue);
}

#[test]
fn uninstall_restores_the_hook_file_bytes() {
    for own in [
        "",
        "# hooks to come\n",
        "version: 1",
        "version: 1\n",
        "version: 1\r\n",
        "version: 1\nhooks:\n",
        "version: 1\nhooks:\n  tool:pre:\n    - { name: a, deny: \"no\" }",
        "version: 1\r\nhooks:\r\n  tool:pre:\r\n    - { name: a, deny: \"no\" }",
    ] {
        let world = World::with_hooks(own);
        let folder = world.config().join("tenter");
        let read = || fs::read_to_string(folder.join("hooks.yaml")).unwrap();
        assert_eq!(world.tenter(INIT).run().code, Some(0), "{own:?}");
        assert!(read().contains("builtin: protect.config"), "{own:?}");
        assert_eq!(world.tenter(&["hooks", "explain", "protect-config"]).run().code, Some(0), "{own:?}");
        assert_eq!(world.tenter(&["uninstall", "claude"]).run().code, Some(0), "{own:?}");
        assert_eq!(read(), own);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
    }
}

/// A dry run of two agents shows the effect of the real run.
#[test]
fn dry_run_shows_hook_file_changes() {
    let world = World::new();
    assert_eq!(world.tenter(&["init", "claude", "gemini", "--allow-build-path"]).run().code, Some(0));
    let hooks = world.config().join("tenter/hooks.yaml");
    let out = format!("--- {}", hooks.display());
    for words in
        [&["uninstall", "--dry-run", "--diff"][..], &["uninstall", "gemini", "claude", "--dry-run", "--diff"]]
    {
        let ran = world.tenter(words).run();
        assert_eq!(ran.stdout.matches(&out).count(), 1, "{words:?}: {ran:?}");
        assert!(ran.stdout.contains("-    - name: protect-config"), "{ran:?}");
    }
    let one = world.tenter(&["uninstall", "gemini", "--dry-run", "--diff"]).run();
    assert!(!one.stdout.contains(&out) && hooks.exists(), "{one:?}");
    assert_eq!(world.tenter(&["uninstall"]).run().code, Some(0));
    assert!(!hooks.exists());
}

/// An agent with unreadable settings may still call tenter.
#[test]
fn protection_stays_while_agents_call_tenter() {
    let world = World::new();
    let hooks = world.config().join("tenter/hooks.yaml");
    let init = &["init", "claude", "gemini", "--allow-build-path"];
    assert_eq!(world.tenter(init).run().code, Some(0));
    let settings = fs::read_to_string(world.settings()).unwrap();
    world.write_settings(&settings.replacen('{', "{ garbage", 1));
    let ran = world.tenter(&["uninstall"]).run();
    assert!(ran.code != Some(0) && ran.stderr.contains("settings.json"), "{ran:?}");
    assert!(hooks.exists(), "{ran:?}");
    // An agent without entries does not keep the protection.
    assert_eq!(world.tenter(&["init", "gemini", "--allow-build-path"]).run().code, Some(0));
    world.write_settings("{ garbage");
    assert_eq!(world.tenter(&["uninstall", "gemini"]).run().code, Some(0));
    assert!(!hooks.exists());
}

#[test]
fn uninstall_finds_agents_with_memory_only() {
    let world = World::new();
    let folder = world.home().join(".cursor");
    fs::create_dir_all(&folder).unwrap();
    let own = "{\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } }\n}\n";
    fs::write(folder.join("mcp.json"), own).unwrap();
    let init = world.tenter(&["init", "cursor", "--allow-build-path"]).run();
    assert_eq!(init.code, Some(0), "{}", init.stderr);
    assert!(fs::read_to_string(folder.join("mcp.json")).unwrap().contains("tenter"));
    fs::remove_file(folder.join("hooks.json")).unwrap();
    let dry = world.tenter(&["uninstall", "--dry-run"]).run();
    assert!(dry.stdout.contains("mcp.json"), "{}", dry.stdout);
    let ran = world.tenter(&["uninstall"]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("the memory tools in "), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(folder.join("mcp.json")).unwrap(), own);
    let again = world.tenter(&["uninstall"]).run();
    assert!(again.stdout.starts_with("nothing to do"), "{}", again.stdout);
}
