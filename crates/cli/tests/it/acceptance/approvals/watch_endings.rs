//! The endings that `tenter approvals watch` reports, and the end of watching.

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Watcher, call, list};
use crate::world::World;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, when: { command: "make*" }, ask: { prompt: "Run it?", timeout: 300, options: ["Allow once", "Deny"] } }
    - { name: hasty, matcher: Bash, when: { command: "ls*" }, ask: { prompt: "List it?", timeout: 1, options: ["Allow once", "Deny"] } }
"#;

/// Each ending has its own line.
#[test]
fn watch_reports_each_ending() {
    let world = World::with_hooks(HOOKS);
    let mut watcher = Watcher::start(&world);
    let closed = |watcher: &mut Watcher, id: &Value| {
        let line = watcher.next_of_kind("closed");
        assert_eq!(line["id"], *id);
        line
    };

    let asking = world.claude(&call("t1", "ls")).start();
    let id = watcher.question()["id"].clone();
    asking.wait_with_output().unwrap();
    let why = "no answer within 1 s; denied by default";
    assert_eq!(closed(&mut watcher, &id), json!({"type": "closed", "id": id, "how": "timeout", "why": why}));

    let asking = world.claude(&call("t2", "make")).start();
    let id = watcher.question()["id"].clone();
    world.tenter(&["approvals", "answer", id.as_str().unwrap(), "allow once"]).run();
    asking.wait_with_output().unwrap();
    let why = "answered elsewhere: allowed (Allow once)";
    assert_eq!(
        closed(&mut watcher, &id),
        json!({"type": "closed", "id": id, "how": "granted", "option": "Allow once", "why": why})
    );

    let mut asking = world.claude(&call("t3", "make all")).start();
    let id = watcher.question()["id"].clone();
    asking.kill().unwrap();
    asking.wait().unwrap();
    let line = closed(&mut watcher, &id);
    assert_eq!(line["how"], "withdrawn");
    assert!(line["why"].as_str().unwrap().ends_with("ended while it waited for an answer"), "{line}");

    let mut asking = world.claude(&call("t4", "make none")).start();
    let id = watcher.question()["id"].clone();
    drop(asking.stdout.take());
    asking.wait().unwrap();
    let line = closed(&mut watcher, &id);
    assert_eq!(line["why"], "withdrawn: the agent no longer waits for the answer");
}

/// A watcher with a closed input or output does not count as an approver.
#[test]
fn watch_ends_without_input_or_reader() {
    let world = World::with_hooks(HOOKS);
    for form in [&["approvals", "watch", "--json"][..], &["approvals", "watch"]] {
        let mut watcher = world.tenter(form).command().spawn().unwrap();
        drop(watcher.stdin.take());
        assert!(watcher.wait().unwrap().success(), "{form:?}: its stdin is closed");

        let mut watcher = world.tenter(form).command().stderr(Stdio::null()).spawn().unwrap();
        let mut output = watcher.stdout.take().unwrap();
        output.read_exact(&mut [0; 8]).unwrap();
        drop(output);
        assert!(watcher.wait().unwrap().success(), "{form:?}: its stdout is closed");
    }
    let ran = world.claude(&call("t5", "make")).run();
    assert!(ran.stdout.contains("no approver is watching"), "{ran:?}");
    assert_eq!(list(&world)["questions"], json!([]));
}

/// Input before the end of the stream counts.
#[test]
fn final_answer_needs_no_line_end() {
    let world = World::with_hooks(&format!("{HOOKS}approvals: {{ approver: watch }}\n"));
    let asking = world.claude(&call("t6", "make")).start();
    let id = super::wait_for_question(&world)["id"].as_str().unwrap().to_owned();
    let ran = world.tenter(&["approvals", "watch", "--json"]).stdin(format!("{id} deny")).run();
    assert!(
        ran.stdout.contains(&json!({"type": "answered", "id": id, "option": "Deny"}).to_string()),
        "{ran:?}"
    );
    assert!(!asking.wait_with_output().unwrap().stdout.is_empty());
}
