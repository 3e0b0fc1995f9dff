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
