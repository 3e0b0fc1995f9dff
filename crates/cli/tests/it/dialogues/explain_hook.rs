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
fn explain_describes_acceptance_failures_and_capabilities() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .run(INIT)
        .run(&["hooks", "explain", "no-force-push"])
        .run(&["hooks", "explain", "check"])
        .run(&["hooks", "explain", "sure"])
        .run(&["hooks", "explain", "sure", "--all-agents"])
        .run(&["hooks", "explain", "status"])
        .run(&["hooks", "explain", "asleep"])
        .run(&["hooks", "explain", "typo"])
        .run(&["hooks", "explain", "own"])
        .run(&["hooks", "explain", "no-such"]);
    let text = dialogue.text.split_once("$ tenter hooks explain").map(|(_, rest)| rest.to_owned());
    let text = format!("$ tenter hooks explain{}", text.unwrap());
    assert_dialogue!(Dialogue { text, ..dialogue });
}

#[test]
fn payload_explanation_checks_conditions_without_records() {
    let dialogue = Dialogue::with_hooks(HOOKS).step("payloads are kept", |world| {
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
        .run(&["hooks", "explain", "no-force-push", "--payload", "push.json"])
        .run(&["hooks", "explain", "no-force-push", "--payload", "status.json"])
        .run(&["hooks", "explain", "no-force-push", "--payload", "reviewer.json"])
        .run(&["hooks", "explain", "third", "--payload", "push.json"])
        .run(&["hooks", "explain", "status", "--event", "SessionStart", "--payload", "data.json"])
        .run(&["hooks", "explain", "no-force-push", "--payload", "status.json", "--json"])
        .run(&["hooks", "explain", "no-force-push", "--payload", "none.json"]);
    assert_eq!(fs::read_dir(dialogue.world.state()).unwrap().count(), before);
    assert_dialogue!(dialogue);
}

#[test]
fn explain_checks_required_files() {
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
fn explain_names_reasons_for_inactive_hooks() {
    let dialogue = Dialogue::with_hooks(HOOKS)
        .step("the project brings a guard, and an agent has worked here", |world| {
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
        .run(&["hooks", "explain", "guard", "--payload", "ls.json"])
        .run(&["trust", "--yes"])
        .run(&["hooks", "explain", "project/guard", "--payload", "ls.json"])
        .run(&["hooks", "explain", "third", "--payload", "ls.json"])
        .run(&["hooks", "disable", "third"])
        .run(&["hooks", "explain", "third", "--payload", "ls.json"])
        .run(&["hooks", "explain", "status", "--payload", "start.json"]);
    assert_dialogue!(dialogue);
}
