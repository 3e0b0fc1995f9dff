//! Hooks at `approval:…` receive a question while it waits, and cannot change it.

use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::{Watcher, approvals, call};
use crate::world::{REASON, World};
use crate::{loopback, records};

fn until(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A hook file with an old modification time, so that tenter-hook uses the compiled hooks.
fn world(observers: &str) -> World {
    let text = format!(
        r#"version: 1
hooks:
  tool:pre:
    - {{ name: guard, matcher: Bash, ask: {{ prompt: "Run it?", options: ["Allow once", "Deny"] }} }}
{observers}"#
    );
    let world = World::with_hooks(&text);
    let path = world.config().join("tenter/hooks.yaml");
    let then = SystemTime::now() - Duration::from_mins(1);
    fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    world
}

/// The events that the hooks have received.
fn received_events(world: &World) -> Vec<Value> {
    let text = fs::read_to_string(world.home().join("events")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

const LISTENING: &str = r#"  approval:required:
    - { name: page-me, matcher: Bash, command: "cat >> ~/events; echo >> ~/events" }
  approval:granted:
    - { name: log, command: "cat >> ~/events; echo >> ~/events" }
  approval:denied:
    - { name: never, command: "cat >> ~/events; echo >> ~/events" }
"#;

#[test]
fn observer_receives_question_and_answer() {
    let world = world(LISTENING);
    let mut watcher = Watcher::start(&world);
    let asking = world.claude(&call("t1", "make")).start();
    let id = watcher.question()["id"].clone();
    until("no event for the question", || received_events(&world).len() == 1);
    watcher.answer(&id, "Allow once");
    assert!(asking.wait_with_output().unwrap().stdout.is_empty());
    until("no event for the answer", || received_events(&world).len() == 2);
    let notice = |at: usize, keys: [&str; 4]| -> Vec<String> {
        let event = &received_events(&world)[at];
        keys.map(|key| event[key].as_str().unwrap_or("-").to_owned()).to_vec()
    };
    let keys = ["event", "message", "source", "reason"];
    assert_eq!(notice(0, keys), ["approval:required", "Run it?", "watch", "-"]);
    assert_eq!(notice(1, keys), ["approval:granted", "Run it?", "watch", "granted: Allow once"]);
    assert_eq!(received_events(&world)[0]["tool"]["command"], "make");
}

/// Neither a verdict nor a failure of an observer affects the question.
#[test]
fn observer_cannot_change_answer() {
    for (observer, recorded) in [
        (r#"command: "echo '{\"deny\": \"no\"}'""#, "hook:background at approval:required  says: deny"),
        (r#"command: "echo '{\"ask\": \"Really?\"}'""#, "hook:background at approval:required  says: ask"),
        (r#"command: "exit 7", on_failure: deny"#, "hook:failed  says at approval:required: error → deny"),
    ] {
        let world = world(&format!("  approval:required:\n    - {{ name: says, {observer} }}\n"));
        let mut watcher = Watcher::start(&world);
        let asking = world.claude(&call("t1", "make")).start();
        let question = watcher.question();
        watcher.answer(&question["id"], "Allow once");
        assert!(asking.wait_with_output().unwrap().stdout.is_empty());
        assert_eq!(approvals(&world).len(), 2, "{:?}", approvals(&world));
        let lines = || records::read(&world).iter().map(records::line).collect::<Vec<_>>().join("\n");
        let began = Instant::now();
        while !lines().contains(recorded) {
            assert!(began.elapsed() < Duration::from_secs(30), "{recorded} is not in {}", lines());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The small program has no HTTP client; the full program has one.
#[test]
fn observer_may_need_full_program() {
    let url = loopback::answers("200 OK", "");
    let world = world(&format!(
        "  approval:denied:\n    - {{ name: chat, http: {{ url: \"{url}\", method: post }} }}\n"
    ));
    // Compiles the file for the small program.
    world.claude(&call("t1", "true")).run();
    let before = records::read(&world).len();
    let ran = world.claude(&call("t2", "make")).run();
    assert!(ran.field(REASON).contains("no approver can be asked"), "{ran:?}");
    let ran_it = || {
        let all = records::read(&world);
        let of_chat = all[before..].iter().find(|record| record.to_string().contains("user/chat")).cloned();
        of_chat.inspect(|record| assert!(!record.to_string().contains("failure"), "{record}"))
    };
    until("no event", || ran_it().is_some());
}
