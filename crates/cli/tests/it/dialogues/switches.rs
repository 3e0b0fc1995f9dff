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
fn hook_is_disabled_and_enabled() {
    let here = |world: &crate::world::World| {
        let payload = bash("ls").replace("\"cwd\":\"/\"", &format!("\"cwd\":{:?}", world.project()));
        fs::create_dir_all(world.project().join(".git")).unwrap();
        world.claude(&payload).run();
    };
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run(&["hooks", "disable", "gaurd"])
        .run(&["hooks", "disable", "guard", "--session"])
        .run(&["hooks", "disable", "guard"])
        .run(&["hooks", "list"])
        .run(&["hooks", "enable", "guard"])
        .run(&["hooks", "enable", "quiet"])
        .step("an agent works here", here)
        .run(&["hooks", "disable", "guard", "--session"])
        .run(&["hooks", "list"])
        .run(&["hooks", "enable", "guard", "--session"])
        .run(&["hooks", "disable", "user/guard", "--project"])
        .run(&["hooks", "list"])
        .run(&["hooks", "enable", "guard"])
        .run(&["audit", "show"])
        .run(&["hooks", "stats"]);
    assert_dialogue!(dialogue);
}

#[test]
fn switches_of_other_sessions_are_separate() {
    let works = |world: &World, session: &str| {
        fs::create_dir_all(world.project().join(".git")).unwrap();
        let payload = bash("ls").replace("\"cwd\":\"/\"", &format!("\"cwd\":{:?}", world.project()));
        let payload = payload.replace("\"s1\"", &format!("{session:?}"));
        fs::write(world.project().join(format!("{session}.json")), &payload).unwrap();
        world.claude(&payload).run();
    };
    let dialogue = Dialogue::with_hooks(HOOKS)
        .step("an agent works in session d1", |world| works(world, "d1"))
        .run(&["hooks", "disable", "guard", "--session"])
        .step("another begins session d2", |world| works(world, "d2"))
        .run(&["hooks", "list"])
        .run(&["hooks", "explain", "guard"])
        .run(&["hooks", "explain", "guard", "--payload", "d1.json"])
        .run(&["hooks", "enable", "guard", "--session"])
        .run(&["hooks", "enable", "guard"])
        .run(&["hooks", "enable", "guard", "--session", "d1"])
        .run(&["hooks", "enable", "guard", "--session", "d1"])
        .run(&["hooks", "disable", "guard", "--session", "d3"])
        .run(&["hooks", "enable", "guard", "--session", "d3"])
        .run(&["hooks", "list"]);
    assert_dialogue!(dialogue);
}

#[test]
fn new_hook_changes_nothing_else() {
    let show = |dialogue: Dialogue| {
        let text = fs::read_to_string(dialogue.world.config().join("tenter/hooks.yaml")).unwrap();
        Dialogue { text: format!("{}---\n{text}---\n", dialogue.text), ..dialogue }
    };
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run(&["hooks", "new", "no-secrets", "--kind", "script"])
        .run(&["hooks", "new", "--event", "SessionStart", "--kind", "inject"])
        .run(&["hooks", "new", "guard"])
        .run(&["hooks", "new", "--event", "session:end", "--kind", "deny"])
        .run(&["hooks", "new", "mine", "--layer", "project"])
        .run(&["hooks", "new", "mine", "--layer", "profile"])
        .run(&["hooks", "test", "no-secrets"]);
    assert_dialogue!(show(dialogue));
}

#[test]
fn new_python_hook_runs() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run(&["hooks", "new", "no-secrets", "--kind", "python"])
        .run(&["hooks", "new", "2 words", "--kind", "python"]);
    let folder = dialogue.world.config().join("tenter");
    let tested = dialogue.world.tenter(&["hooks", "test", "no-secrets"]).run();
    assert!(tested.code == Some(0) && tested.stdout.contains("abstain"), "{tested:?}");
    let shown =
        ["hooks.yaml", "no_secrets_hook.py"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert!(folder.join("_2_words_hook.py").is_file());
    insta::assert_snapshot!(format!("{}---\n{}---\n", dialogue.text, shown.join("---\n")));
}

#[test]
fn new_project_hook_explains_trust() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .step("there is a repository", |world| {
            fs::create_dir_all(world.project().join(".git")).unwrap();
        })
        .run(&["hooks", "new", "first", "--layer", "project", "--kind", "deny"])
        .step("it is trusted", |world| {
            assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
        })
        .run(&["hooks", "new", "second", "--layer", "local", "--kind", "deny"]);
    assert_dialogue!(dialogue);
}

#[test]
fn environment_can_disable_the_profile() {
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
fn new_hook_keeps_the_file_format() {
    let toml = "# mine\nversion = 1\n\n[[hooks.\"tool:pre\"]]\nname = \"guard\"\ndeny = \"no\" # really\n";
    let json = "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {\n    \"tool:pre\": [\n      { \"name\": \"guard\", \"deny\": \"no\" }\n    ]\n  }\n}\n";
    let laid_out = "version = 1\n[hooks]\n\"tool:pre\" = [{ name = \"guard\", deny = \"no\" }]\n";
    for (name, extension, text) in
        [("toml", "toml", toml), ("json", "json", json), ("by-hand", "toml", laid_out)]
    {
        let world = World::new();
        world.write_hooks(extension, text);
        let dialogue =
            Dialogue::in_world(world).run(&["hooks", "new", "mine", "--kind", "ask"]).run(&["hooks", "list"]);
        let file = dialogue.world.config().join(format!("tenter/hooks.{extension}"));
        let shown = format!("{}---\n{}---\n", dialogue.text, fs::read_to_string(file).unwrap());
        insta::assert_snapshot!(format!("new_hook_in_{name}"), shown);
    }
}

#[test]
fn active_profile_adds_hooks() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run(&["profile", "list"])
        .step("two profiles are written", |world| {
            let folder = world.config().join("tenter/profiles");
            fs::create_dir_all(&folder).unwrap();
            for name in ["work", "home"] {
                let text = format!(
                    "version: 1\nhooks:\n  session:start:\n    - {{ name: {name}, inject: \"{name}\" }}\n"
                );
                fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
            }
        })
        .run(&["profile", "use", "wrok"])
        .run(&["profile", "use", "work"])
        .run(&["profile", "list"])
        .run(&["hooks", "list"])
        .run(&["hooks", "list", "--profile", "home"])
        .run(&["hooks", "list", "--profile", "hmoe"])
        .run(&["profile", "show"])
        .run(&["hooks", "list", "--profile", "none"])
        .run(&["profile", "use", "none"])
        .run(&["audit", "show"])
        .run(&["explain", "1"])
        .run(&["profile", "list", "--json"]);
    assert_dialogue!(dialogue);
}
