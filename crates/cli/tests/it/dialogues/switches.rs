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
        .says(&["hooks", "disable", "guard", "--session", "d3"])
        .says(&["hooks", "enable", "guard", "--session", "d3"])
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
fn a_new_python_hook_is_a_function_in_a_module_that_runs() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says(&["hooks", "new", "no-secrets", "--kind", "python"])
        .says(&["hooks", "new", "2 words", "--kind", "python"]);
    let folder = dialogue.world.config().join("tenter");
    let tested = dialogue.world.tenter(&["hooks", "test", "no-secrets"]).run();
    assert!(tested.code == Some(0) && tested.stdout.contains("abstain"), "{tested:?}");
    let shown =
        ["hooks.yaml", "no_secrets_hook.py"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert!(folder.join("_2_words_hook.py").is_file());
    insta::assert_snapshot!(format!("{}---\n{}---\n", dialogue.text, shown.join("---\n")));
}

#[test]
fn a_new_hook_of_a_project_says_what_it_does_to_trust() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .meanwhile("there is a repository", |world| {
            fs::create_dir_all(world.project().join(".git")).unwrap();
        })
        .says(&["hooks", "new", "first", "--layer", "project", "--kind", "deny"])
        .meanwhile("it is trusted", |world| {
            assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
        })
        .says(&["hooks", "new", "second", "--layer", "local", "--kind", "deny"]);
    assert_dialogue!(dialogue);
}

#[test]
fn without_a_profile_is_said_in_the_environment_as_on_the_command_line() {
    let world = World::with_hooks(HOOKS);
    let folder = world.config().join("tenter/profiles");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("work.yaml"),
        "version: 1\nhooks:\n  session:start:\n    - { name: work, inject: \"work\" }\n",
    )
    .unwrap();
    assert_eq!(world.tenter(&["profile", "use", "work"]).run().code, Some(0));
    for (profile, shown) in [("", true), ("work", true), ("none", false)] {
        let listed =
            world.sh(&format!("TENTER_PROFILE={profile} '{}' hooks list", env!("CARGO_BIN_EXE_tenter")));
        assert_eq!(
            (listed.code, listed.stdout.contains("profile/work")),
            (Some(0), shown),
            "{profile}: {listed:?}"
        );
    }
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
        .says(&["hooks", "list", "--profile", "none"])
        .says(&["profile", "use", "none"])
        .says(&["audit", "show"])
        .says(&["explain", "1"])
        .says(&["profile", "list", "--json"]);
    assert_dialogue!(dialogue);
}
