//! `tenter hooks enable|disable|new|stats` and `tenter profile`.

use std::fs;

use super::{Dialogue, assert_dialogue};
use crate::world::{World, bash};

const HOOKS: &str = "# mine
version: 1
hooks:
  tool:pre:
    - { name: guard, deny: \"no\" } # for good
  tool:post:
    - { name: quiet, enabled: false, command: \"true\" }
";

#[test]
fn a_hook_is_switched_off_and_on_again() {
    let here = |world: &crate::world::World| {
        let payload = bash("ls").replace("\"cwd\":\"/\"", &format!("\"cwd\":{:?}", world.project()));
        fs::create_dir_all(world.project().join(".git")).unwrap();
        world.claude(&payload).run();
    };
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says(&["hooks", "disable", "gaurd"])
        .says(&["hooks", "disable", "guard", "--session"])
        .says(&["hooks", "disable", "guard"])
        .says(&["hooks", "list"])
        .says(&["hooks", "enable", "guard"])
        .says(&["hooks", "enable", "quiet"])
        .meanwhile("an agent works here", here)
        .says(&["hooks", "disable", "guard", "--session"])
        .says(&["hooks", "list"])
        .says(&["hooks", "enable", "guard", "--session"])
        .says(&["hooks", "disable", "user/guard", "--project"])
        .says(&["hooks", "list"])
        .says(&["hooks", "enable", "guard"])
        .says(&["audit", "show"])
        .says(&["hooks", "stats"]);
    assert_dialogue!(dialogue);
}

#[test]
fn a_switch_in_another_session_is_shown_and_not_mistaken_for_this_one() {
    let works = |world: &World, session: &str| {
        fs::create_dir_all(world.project().join(".git")).unwrap();
        let payload = bash("ls").replace("\"cwd\":\"/\"", &format!("\"cwd\":{:?}", world.project()));
        let payload = payload.replace("\"s1\"", &format!("{session:?}"));
        fs::write(world.project().join(format!("{session}.json")), &payload).unwrap();
        world.claude(&payload).run();
    };
    let dialogue = Dialogue::with_hooks(HOOKS)
        .meanwhile("an agent works in session d1", |world| works(world, "d1"))
        .says(&["hooks", "disable", "guard", "--session"])
        .meanwhile("another begins session d2", |world| works(world, "d2"))
        .says(&["hooks", "list"])
        .says(&["hooks", "explain", "guard"])
        .says(&["hooks", "explain", "guard", "--payload", "d1.json"])
        .says(&["hooks", "enable", "guard", "--session"])
        .says(&["hooks", "enable", "guard"])
        .says(&["hooks", "enable", "guard", "--session", "d1"])
        .says(&["hooks", "enable", "guard", "--session", "d1"])
        .says(&["hooks", "list"]);
    assert_dialogue!(dialogue);
}

#[test]
fn a_new_hook_is_written_with_comments_and_nothing_else_changes() {
    let show = |dialogue: Dialogue| {
        let text = fs::read_to_string(dialogue.world.config().join("tenter/hooks.yaml")).unwrap();
        Dialogue { text: format!("{}---\n{text}---\n", dialogue.text), ..dialogue }
    };
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says(&["hooks", "new", "no-secrets", "--kind", "script"])
        .says(&["hooks", "new", "--event", "SessionStart", "--kind", "inject"])
        .says(&["hooks", "new", "guard"])
        .says(&["hooks", "new", "--event", "session:end", "--kind", "deny"])
        .says(&["hooks", "new", "mine", "--layer", "project"])
        .says(&["hooks", "new", "mine", "--layer", "profile"])
        .says(&["hooks", "test", "no-secrets"]);
    assert_dialogue!(show(dialogue));
}

#[test]
fn a_new_hook_is_written_in_the_form_the_file_has() {
    let toml = "# mine\nversion = 1\n\n[[hooks.\"tool:pre\"]]\nname = \"guard\"\ndeny = \"no\" # really\n";
    let json = "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {\n    \"tool:pre\": [\n      { \"name\": \"guard\", \"deny\": \"no\" }\n    ]\n  }\n}\n";
    let laid_out = "version = 1\n[hooks]\n\"tool:pre\" = [{ name = \"guard\", deny = \"no\" }]\n";
    for (name, extension, text) in
        [("toml", "toml", toml), ("json", "json", json), ("by-hand", "toml", laid_out)]
    {
        let world = World::new();
        world.write_hooks(extension, text);
        let dialogue =
            Dialogue::on(world).says(&["hooks", "new", "mine", "--kind", "ask"]).says(&["hooks", "list"]);
        let file = dialogue.world.config().join(format!("tenter/hooks.{extension}"));
        let shown = format!("{}---\n{}---\n", dialogue.text, fs::read_to_string(file).unwrap());
        insta::assert_snapshot!(format!("new_hook_in_{name}"), shown);
    }
}

#[test]
fn a_profile_adds_hooks_while_it_is_active() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says(&["profile", "list"])
        .meanwhile("two profiles are written", |world| {
            let folder = world.config().join("tenter/profiles");
            fs::create_dir_all(&folder).unwrap();
            for name in ["work", "home"] {
                let text = format!(
                    "version: 1\nhooks:\n  session:start:\n    - {{ name: {name}, inject: \"{name}\" }}\n"
                );
                fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
            }
        })
        .says(&["profile", "use", "wrok"])
        .says(&["profile", "use", "work"])
        .says(&["profile", "list"])
        .says(&["hooks", "list"])
        .says(&["hooks", "list", "--profile", "home"])
        .says(&["hooks", "list", "--profile", "hmoe"])
        .says(&["profile", "show"])
        .says(&["profile", "use", "none"])
        .says(&["profile", "list", "--json"]);
    assert_dialogue!(dialogue);
}
