//! Saved answers: grants and rules.

use std::fs;

use serde_json::{Value, json};

use super::{Watcher, approvals, call, list};
use crate::world::{REASON, World};

const ALWAYS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run it?", options: ["Allow always", "Deny"] } }
    - { name: production, matcher: Write, ask: { prompt: "Write {tool.path}?", options: ["Allow", "Deny"] } }
"#;

#[test]
fn allow_always_covers_exact_input_and_session() {
    let world = World::with_hooks(ALWAYS);
    let mut watcher = Watcher::start(&world);
    let asking = world.claude(&call("t1", "make deploy")).start();
    let question = watcher.question();
    watcher.answer(&question["id"], "Allow always");
    assert!(asking.wait_with_output().unwrap().stdout.is_empty());
    drop(watcher);
    assert_eq!(world.claude(&call("t2", "make deploy")).run().stdout, "");
    assert_eq!(list(&world)["grants"][0]["covers"], json!({"input": {"command": "make deploy"}, "cwd": "/"}));
    for other in ["make deploy; rm -rf .", "make deploy "] {
        let ran = world.claude(&call("t3", other)).run();
        assert!(ran.field(REASON).contains("no approver can be asked"), "{other}: {ran:?}");
    }
    world.claude(r#"{"session_id": "s1", "hook_event_name": "SessionEnd", "cwd": "/"}"#).run();
    assert_eq!(list(&world)["grants"], json!([]));
    assert!(
        world.claude(&call("t4", "make deploy")).run().field(REASON).contains("no approver can be asked")
    );
}

const FILES: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: Write, ask: { prompt: "Write it?", options: ["Allow always", { label: "All of them", grant: tool }, "Deny"] } }
"#;

fn write(id: &str, path: &str) -> String {
    json!({
        "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Write",
        "tool_input": {"file_path": path, "content": id}, "tool_use_id": id,
    })
    .to_string()
}

/// The question has the same text for every file, but the grant covers one file.
#[test]
fn allow_always_for_file_names_that_file() {
    let world = World::with_hooks(FILES);
    let mut watcher = Watcher::start(&world);
    let asking = world.claude(&write("t1", "/srv/a.yaml")).start();
    let question = watcher.question();
    assert_eq!(
        question["options"],
        json!([
            {"label": "Allow always", "grant": "session", "covers": "every Write of this file"},
            {"label": "All of them", "grant": "tool",
             "covers": "every Write, whatever its input, about which the same is asked"},
            {"label": "Deny"},
        ])
    );
    let shown = world.tenter(&["approvals", "list"]).run().stdout;
    assert!(shown.contains("[1] Allow always (for this session: every Write of this file)"), "{shown}");
    watcher.answer(&question["id"], "Allow always");
    assert!(asking.wait_with_output().unwrap().stdout.is_empty());
    let listed = world.tenter(&["approvals", "list"]).run().stdout;
    assert!(listed.contains("user/guard  every Write of /srv/a.yaml  session s1"), "{listed}");
    assert_eq!(world.claude(&write("t2", "/srv/a.yaml")).run().stdout, "");

    let asking = world.claude(&write("t3", "/srv/b.yaml")).start();
    let question = watcher.question();
    assert_eq!(question["tool"]["input"]["file_path"], "/srv/b.yaml");
    watcher.answer(&question["id"], "All of them");
    assert!(asking.wait_with_output().unwrap().stdout.is_empty());
    assert_eq!(world.claude(&write("t4", "/srv/c.yaml")).run().stdout, "");
}

#[test]
fn revoking_grant_by_id_is_recorded() {
    let world = World::with_hooks(ALWAYS);
    let mut watcher = Watcher::start(&world);
    let asking = world.claude(&call("t1", "make deploy")).start();
    let id = watcher.question()["id"].clone();
    watcher.answer(&id, "1");
    asking.wait_with_output().unwrap();
    drop(watcher);
    let revoked = world.tenter(&["approvals", "revoke", id.as_str().unwrap()]).run();
    assert_eq!(revoked.stdout, "guard asks again in session s1\n", "{revoked:?}");
    assert!(
        world.claude(&call("t2", "make deploy")).run().field(REASON).contains("no approver can be asked")
    );
    let shown = world.tenter(&["audit", "show"]).run().stdout;
    assert!(shown.contains("approval:grant_revoked"), "{shown}");
}

#[test]
fn matching_rule_answers_as_the_user() {
    let world = World::with_hooks(ALWAYS);
    assert_eq!(
        world.tenter(&["approvals", "allow", "guard", "git push *", "--expires", "1h"]).run().code,
        Some(0)
    );
    assert_eq!(world.tenter(&["approvals", "deny", "guard", "*rm *"]).run().code, Some(0));
    assert_eq!(world.claude(&call("t1", "git push origin")).run().stdout, "");
    for joined in ["git push origin; make", "git push $(cat x)"] {
        let ran = world.claude(&call("t2", joined)).run();
        assert!(ran.field(REASON).contains("no approver can be asked"), "{ran:?}");
    }
    let denied = world.claude(&call("t3", "rm -rf build")).run().field(REASON);
    assert!(denied.starts_with("User denied: Run it? (saved answer: approvals rule "), "{denied}");
    assert!(approvals(&world).iter().any(|line| line.contains("approver standing: granted before: ")));
}

/// Hooks can ask, never grant.
#[test]
fn processes_of_hooks_grant_nothing() {
    let world = World::new();
    for command in [
        &["approvals", "allow", "guard", "*"][..],
        &["approvals", "answer", "k7q2mf3a", "Allow"],
        &["approvals", "watch"],
        &["approvals", "revoke", "k7q2mf3a"],
    ] {
        let ran = world.tenter(command).env("TENTER_RUN", "a").run();
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("needs a person: a hook started it"), "{ran:?}");
    }
    assert_eq!(list(&world)["rules"], json!([]));
}

#[test]
fn amplifier_rules_are_imported_unchanged() {
    let world = World::with_hooks(ALWAYS);
    let file = world.home().join("approval_rules.json");
    fs::write(
        &file,
        r#"{"production:production/*": "allow", "cost_control:openai:gpt-4": "deny", "no-pattern": "allow"}"#,
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let shown = world.tenter(&["import", file]).run();
    assert_eq!(shown.code, Some(1), "{shown:?}");
    assert!(shown.stdout.contains("tenter approvals allow production 'production/*'"), "{shown:?}");
    assert!(shown.stdout.contains("not kept  no-pattern: it names no pattern behind the hook"), "{shown:?}");
    assert_eq!(list(&world)["rules"], json!([]));
    world.tenter(&["import", "--write", file]).run();
    let rules = list(&world)["rules"].clone();
    // Rules of one import share a time, so their order varies.
    let mut patterns: Vec<&Value> = rules.as_array().unwrap().iter().map(|rule| &rule["pattern"]).collect();
    patterns.sort_by_key(ToString::to_string);
    assert_eq!(patterns, ["openai:gpt-4", "production/*"]);
    let write = |path: &str| {
        let payload = json!({
            "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": world.project(), "tool_name": "Write",
            "tool_input": {"file_path": path, "content": "x"}, "tool_use_id": path,
        });
        world.claude(&payload.to_string()).env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").run()
    };
    assert_eq!(write("production/a.yaml").stdout, "");
    assert!(write("production/deep/a.yaml").field(REASON).contains("no approver can be asked"));
}
