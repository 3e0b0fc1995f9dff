//! `tenter hooks explain`: why a hook runs or does not.

use std::fs;

use super::init::INIT;
use super::{Dialogue, assert_dialogue};
use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  session:start:
    - { name: status, run: "!true", once: session, after: [facts] }
    - { name: facts, builtin: date }
  tool:pre:
    - name: no-force-push
      matcher: Bash
      when: { command: "/^git push .*--force( |$)/", branch: [main, "release/*"], env: { CI: "*" } }
      deny: "Use --force-with-lease."
    - { name: check, matcher: "Write|Edit", when: { path: "src/**" }, script: check.sh, on_failure: { missing: deny }, timeout: 5s }
    - { name: third, every: 3, matcher: shell, inject: "Mind the time." }
    - { name: asleep, enabled: false, deny: "no" }
    - { name: typo, matchr: Bash, deny: "no" }
  prompt:submit:
    - { name: sure, ask: "Really?" }
agents:
  reviewer:
    hooks:
      tool:pre: { override: true, hooks: [ { name: own, deny: "reviewers only read" } ] }
"#;

fn payload(world: &World, name: &str, text: &str) {
    fs::write(world.project().join(name), text).unwrap();
}

#[test]
fn explain_in_general_says_what_acceptance_what_failures_mean_and_what_agents_carry() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .says(INIT)
        .says(&["hooks", "explain", "no-force-push"])
        .says(&["hooks", "explain", "check"])
        .says(&["hooks", "explain", "sure"])
        .says(&["hooks", "explain", "sure", "--all-agents"])
        .says(&["hooks", "explain", "status"])
        .says(&["hooks", "explain", "asleep"])
        .says(&["hooks", "explain", "typo"])
        .says(&["hooks", "explain", "own"])
        .says(&["hooks", "explain", "no-such"]);
    let text = dialogue.text.split_once("$ tenter hooks explain").map(|(_, rest)| rest.to_owned());
    let text = format!("$ tenter hooks explain{}", text.unwrap());
    assert_dialogue!(Dialogue { text, ..dialogue });
}

#[test]
fn explain_for_a_payload_looks_at_every_condition_and_leaves_no_trace() {
    let dialogue = Dialogue::with_hooks(HOOKS).meanwhile("payloads are kept", |world| {
        payload(world, "push.json", &bash("git push origin --force"));
        payload(world, "status.json", &bash("git status"));
        let reviewer =
            bash("ls").replace("\"cwd\"", "\"agent_id\":\"a1\",\"agent_type\":\"reviewer\",\"cwd\"");
        payload(world, "reviewer.json", &reviewer);
        payload(world, "data.json", "{\"session_id\":\"s1\",\"source\":\"startup\"}");
        fs::create_dir_all(world.project().join(".git")).unwrap();
        fs::write(world.project().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    });
    let before = fs::read_dir(dialogue.world.state()).unwrap().count();
    let dialogue = dialogue
        .says(&["hooks", "explain", "no-force-push", "--payload", "push.json"])
        .says(&["hooks", "explain", "no-force-push", "--payload", "status.json"])
        .says(&["hooks", "explain", "no-force-push", "--payload", "reviewer.json"])
        .says(&["hooks", "explain", "third", "--payload", "push.json"])
        .says(&["hooks", "explain", "status", "--event", "SessionStart", "--payload", "data.json"])
        .says(&["hooks", "explain", "no-force-push", "--payload", "status.json", "--json"])
        .says(&["hooks", "explain", "no-force-push", "--payload", "none.json"]);
    assert_eq!(fs::read_dir(dialogue.world.state()).unwrap().count(), before);
    assert_dialogue!(dialogue);
}

#[test]
fn explain_says_of_files_that_must_be_there_whether_they_are() {
    let world = World::with_hooks(
        "version: 1
hooks:
  tool:pre:
    - { name: one, matcher: Bash, when: { file_exists: Cargo.toml }, deny: \"no\" }
    - { name: any, matcher: Bash, when: { file_exists: [go.mod, Cargo.toml] }, deny: \"no\" }
",
    );
    payload(&world, "ls.json", &bash("ls"));
    let explained =
        |hook: &str| world.tenter(&["hooks", "explain", hook, "--payload", "ls.json"]).run().stdout;
    let line = |text: &str| {
        let found = text.lines().find(|line| line.contains("when.file_exists")).unwrap_or(text);
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line(&explained("one")), "no when.file_exists Cargo.toml and it is not there");
    let none = "no when.file_exists go.mod, Cargo.toml and none of them is there";
    assert_eq!(line(&explained("any")), none);
    payload(&world, "Cargo.toml", "");
    assert_eq!(line(&explained("one")), "yes when.file_exists Cargo.toml and Cargo.toml is there");
}

#[test]
fn explain_says_what_trust_switches_and_sessions_keep_from_running() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .meanwhile("the project brings a guard, and an agent has worked here", |world| {
            fs::create_dir_all(world.project().join(".tenter")).unwrap();
            let guard =
                "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, deny: \"no\" }\n";
            fs::write(world.project().join(".tenter/hooks.yaml"), guard).unwrap();
            payload(
                world,
                "start.json",
                "{\"session_id\":\"s1\",\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}",
            );
            payload(world, "ls.json", &bash("ls"));
            let start = fs::read_to_string(world.project().join("start.json")).unwrap();
            world.claude(&start).run();
            world.claude(&bash("true")).run();
            world.claude(&bash("false")).run();
        })
        .says(&["hooks", "explain", "guard", "--payload", "ls.json"])
        .says(&["trust", "--yes"])
        .says(&["hooks", "explain", "project/guard", "--payload", "ls.json"])
        .says(&["hooks", "explain", "third", "--payload", "ls.json"])
        .says(&["hooks", "disable", "third"])
        .says(&["hooks", "explain", "third", "--payload", "ls.json"])
        .says(&["hooks", "explain", "status", "--payload", "start.json"]);
    assert_dialogue!(dialogue);
}
