//! Files that grant something count only as tenter wrote them. An agent that writes, changes or removes one
//! gains nothing.

use std::fs;

use crate::world::{World, after, bash, event};

const ASKS: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, when: { command: \"make*\" }, ask: { prompt: \"Run it?\", timeout: 1 } }\n";

fn make(world: &World, id: &str) -> String {
    world.claude(&bash("make x").replace("toolu_1", id)).run().stdout
}

/// A rule that tenter wrote on another machine, as a file.
fn forged_rule(policy: &str) -> String {
    let world = World::with_hooks(ASKS);
    assert_eq!(world.tenter(&["approvals", policy, "guard", "*"]).run().code, Some(0));
    let folder = world.state().join("tenter/approvals/rules");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    fs::read_to_string(file).unwrap()
}

#[test]
fn forged_rule_grants_nothing() {
    let world = World::with_hooks(ASKS);
    world.claude(&event("UserPromptSubmit")).run();
    let folder = world.state().join("tenter/approvals/rules");
    world.sh("mkdir -m 700 -p \"$XDG_STATE_HOME/tenter/approvals/rules\"");
    let text = forged_rule("allow");
    let id = text.split("\"id\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    fs::write(folder.join(format!("{id}.json")), text).unwrap();
    let answer = make(&world, "t1");
    assert!(answer.contains("\"ask\"") || answer.contains("\"deny\""), "{answer}");
    let listed = world.tenter(&["hooks", "list"]).run();
    assert!(format!("{listed:?}").contains("tenter hooks accept"), "{listed:?}");
    assert_eq!(world.tenter(&["hooks", "accept", "--yes"]).run().code, Some(0));
    assert_eq!(make(&world, "t2"), "", "a person accepted it");
}

#[test]
fn removed_or_changed_user_rule_still_applies() {
    for change in ["rm $F", "echo '{}' > $F", "sed -i s/deny/allow/ $F", "echo x > ${F}x.json"] {
        let world = World::with_hooks(ASKS);
        assert_eq!(world.tenter(&["approvals", "deny", "guard", "*"]).run().code, Some(0));
        world.claude(&event("UserPromptSubmit")).run();
        world.sh(&format!("F=$(ls $XDG_STATE_HOME/tenter/approvals/rules/*.json); {change}"));
        world.claude(&after("x")).run();
        assert!(make(&world, "t1").contains("User denied"), "{change}");
    }
}

#[test]
fn forged_session_switch_has_no_effect() {
    let guard = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"not now\" }\n";
    let world = World::with_hooks(guard);
    assert!(make(&world, "t1").contains("not now"));
    assert_eq!(world.tenter(&["hooks", "disable", "guard", "--session", "s1"]).run().code, Some(0));
    assert_eq!(make(&world, "t2"), "");
    let switch = world.sh("ls $XDG_STATE_HOME/tenter/sessions/*/once-* | grep -v x$");
    assert_eq!(world.tenter(&["hooks", "enable", "guard", "--session", "s1"]).run().code, Some(0));
    assert!(make(&world, "t3").contains("not now"));
    world.sh(&format!(
        "for f in {}; do printf 'switched off user/guard' > $f; done",
        switch.stdout.replace('\n', " ")
    ));
    assert!(make(&world, "t4").contains("not now"));
}

#[test]
fn forged_trust_disarms_no_guard() {
    let hooks = |word: &str| {
        format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: ours, matcher: \"Bash(make)\", {word}: \"not here\" }}\n"
        )
    };
    let world = World::new();
    let file = world.project().join(".tenter/hooks.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, hooks("deny")).unwrap();
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    assert!(make(&world, "t1").contains("not here"));
    // The agent changes the hooks and creates trust for them in its own state folder.
    fs::write(&file, hooks("inject")).unwrap();
    assert!(make(&world, "t2").contains("were changed"));
    let other = world.home().join("other");
    fs::create_dir_all(&other).unwrap();
    let forged = world.tenter(&["trust", "--yes"]).env("XDG_STATE_HOME", &other).run();
    assert_eq!(forged.code, Some(0), "{forged:?}");
    let copied = world.sh("cp -r \"$HOME/other/tenter/trust/.\" \"$XDG_STATE_HOME/tenter/trust/\"");
    assert_eq!(copied.code, Some(0), "{copied:?}");
    assert!(make(&world, "t3").contains("deny"));
    // Removing the trust has no effect either.
    world.sh("rm -r \"$XDG_STATE_HOME/tenter/trust\"");
    assert!(make(&world, "t4").contains("deny"));
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    assert!(!make(&world, "t5").contains("deny"), "a person trusted the new content");
}
