//! `tenter uninstall`: what is left when tenter is gone from somebody's settings.

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
    Dialogue::on(world)
}

#[test]
fn uninstall_gives_the_file_back_byte_for_byte() {
    let dialogue = after_init(Some(SETTINGS))
        .says(&["uninstall", "claude", "--dry-run"])
        .says(&["uninstall", "claude", "--json"])
        .says(&["uninstall", "claude"]);
    assert_eq!(fs::read_to_string(dialogue.world.settings()).unwrap(), SETTINGS);
    let left: Vec<_> = fs::read_dir(dialogue.world.home().join(".claude")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_dialogue!(dialogue);
}

#[test]
fn uninstall_leaves_what_was_changed_since() {
    let dialogue = after_init(Some(SETTINGS))
        .meanwhile("the model is changed", |world| {
            let text = fs::read_to_string(world.settings()).unwrap();
            fs::write(world.settings(), text.replace("opus", "sonnet")).unwrap();
        })
        .says(&["uninstall", "claude"]);
    let expected = SETTINGS.replace("opus", "sonnet");
    assert_eq!(fs::read_to_string(dialogue.world.settings()).unwrap(), expected);
    assert_dialogue!(dialogue);
}

#[test]
fn uninstall_removes_a_file_that_init_made() {
    let dialogue = after_init(None).says(&["uninstall", "claude"]).says(&["uninstall", "claude"]);
    for made in [dialogue.world.home().join(".claude"), dialogue.world.config().join("tenter")] {
        assert!(!made.exists(), "no empty folder is left: {}", made.display());
    }
    assert_dialogue!(dialogue);
}

/// On a new machine there is not even a `.config`.
#[test]
fn uninstall_leaves_no_folder_that_init_made_and_every_other() {
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
fn uninstall_says_what_it_does_not_understand() {
    let dialogue = Dialogue::nowhere()
        .says(&["uninstall", "clude"])
        .meanwhile("the settings are half a file", |world| world.write_settings("{ \"hooks\": {"))
        .says(&["uninstall", "claude"]);
    assert_dialogue!(dialogue);
}

#[test]
fn uninstall_gives_the_users_own_hook_file_back_byte_for_byte() {
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
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
    }
}

/// What a dry run of two shows is what the same command does.
#[test]
fn a_dry_run_of_several_agents_shows_what_becomes_of_the_hook_file() {
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

/// An agent whose settings nobody can read may call tenter still.
#[test]
fn the_protection_stays_as_long_as_an_agent_may_call_tenter() {
    let world = World::new();
    let hooks = world.config().join("tenter/hooks.yaml");
    let init = &["init", "claude", "gemini", "--allow-build-path"];
    assert_eq!(world.tenter(init).run().code, Some(0));
    let settings = fs::read_to_string(world.settings()).unwrap();
    world.write_settings(&settings.replacen('{', "{ garbage", 1));
    let ran = world.tenter(&["uninstall"]).run();
    assert!(ran.code != Some(0) && ran.stderr.contains("settings.json"), "{ran:?}");
    assert!(hooks.exists(), "{ran:?}");
    // One that never called it is no reason to stay.
    assert_eq!(world.tenter(&["init", "gemini", "--allow-build-path"]).run().code, Some(0));
    world.write_settings("{ garbage");
    assert_eq!(world.tenter(&["uninstall", "gemini"]).run().code, Some(0));
    assert!(!hooks.exists());
}

#[test]
fn uninstall_without_names_finds_an_agent_that_has_nothing_but_the_memory() {
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
