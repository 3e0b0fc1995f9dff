//! Killing tenter at any point of an approval leaves no grant, and a record that says what happened.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{approvals, call, list, wait_for_question};
use crate::records;
use crate::world::World;

const LASTING: &str = r#"version: 1
approvals: { approver: watch }
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run?", options: ["Allow always", "Deny"] } }
"#;

#[test]
fn question_of_killed_process_is_withdrawn() {
    let world = World::with_hooks(LASTING);
    let mut asking = world.claude(&call("t1", "ls")).start();
    let question = wait_for_question(&world);
    let id = question["id"].as_str().unwrap();
    asking.kill().unwrap();
    asking.wait().unwrap();
    let answer = world.tenter(&["approvals", "answer", id, "Allow always"]).run();
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.stderr.contains("the process that asked has ended"), "{answer:?}");
    assert_eq!(list(&world), json!({"questions": [], "grants": [], "rules": []}));
    let recorded = approvals(&world);
    assert_eq!(recorded.len(), 2, "{recorded:?}");
    assert!(
        recorded[1].starts_with(
            "approval:withdrawn  guard at tool:pre, approver watch: withdrawn: tenter (process "
        )
    );
    assert!(recorded[1].ends_with("ended while it waited for an answer"), "{recorded:?}");
}

/// The answer and the kill race at varying offsets. Whichever wins, every recorded question has a recorded end,
/// and every grant is in the trail.
#[test]
fn kill_during_answer_leaves_no_unrecorded_grant() {
    let world = World::with_hooks(LASTING);
    for round in 0..24_u64 {
        let mut asking = world.claude(&call(&format!("t{round}"), &format!("echo {round}"))).start();
        let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
        thread::scope(|scope| {
            scope.spawn(|| world.tenter(&["approvals", "answer", &id, "Allow always"]).run());
            scope.spawn(|| {
                thread::sleep(Duration::from_micros(round * 700));
                asking.kill().unwrap();
                asking.wait().unwrap();
            });
        });
    }
    let listed = list(&world);
    assert_eq!(listed["questions"], json!([]));
    let records = records::read(&world);
    let ids = |event: &str| -> Vec<String> {
        let is_event = |record: &&Value| record["event"] == event;
        let id = |record: &Value| record["approval"]["id"].as_str().unwrap().to_owned();
        records.iter().filter(is_event).map(id).collect()
    };
    let over: Vec<String> = [ids("approval:granted"), ids("approval:withdrawn")].concat();
    for id in ids("approval:required") {
        assert!(over.contains(&id), "{id} was asked and never ended");
    }
    for grant in listed["grants"].as_array().unwrap() {
        let id = grant["id"].as_str().unwrap().to_owned();
        assert!(ids("approval:granted").contains(&id) && !ids("approval:withdrawn").contains(&id), "{grant}");
    }
    assert_eq!(world.tenter(&["audit", "verify"]).run().code, Some(0));
    let left: Vec<_> = fs::read_dir(world.state().join("tenter/approvals/questions")).unwrap().collect();
    assert_eq!(left.len(), 0, "{left:?}");
}

#[test]
fn question_of_ended_agent_is_withdrawn() {
    let world = World::with_hooks(LASTING);
    let mut asking = world.claude(&call("t1", "ls")).start();
    wait_for_question(&world);
    drop(asking.stdout.take());
    asking.wait().unwrap();
    assert!(
        approvals(&world)[1].contains(
            "approval:withdrawn  guard at tool:pre, approver watch: withdrawn: the agent no longer waits"
        ),
        "{:?}",
        approvals(&world)
    );
}

/// A question ends with its agent, however long its timeout is.
#[test]
fn killed_watcher_passes_question_to_next_approver() {
    let alone = LASTING.replace("approvals: { approver: watch }\n", "");
    let world = World::with_hooks(&alone);
    let mut watcher = super::Watcher::start(&world);
    let asking = world.claude(&call("t1", "ls")).start();
    watcher.question();
    drop(watcher);
    let output = asking.wait_with_output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("the user stopped `tenter approvals watch`"),
        "{output:?}"
    );
    let recorded = approvals(&world);
    assert_eq!(recorded.len(), 3, "{recorded:?}");
    assert!(
        recorded[1].starts_with("approval:withdrawn  guard at tool:pre, approver watch: "),
        "{recorded:?}"
    );
    assert!(recorded[2].starts_with("approval:denied  guard at tool:pre, approver none: "), "{recorded:?}");

    let world = World::with_hooks(LASTING);
    let mut watcher = super::Watcher::start(&world);
    let asking = world.claude(&call("t2", "ls")).start();
    let first = watcher.question()["id"].clone();
    drop(watcher);
    let mut waits = wait_for_question(&world);
    while waits["id"] == first {
        waits = wait_for_question(&world);
    }
    let answer = world.tenter(&["approvals", "answer", waits["id"].as_str().unwrap(), "Deny"]).run();
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let output = asking.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied: Run?"), "{output:?}");
}

#[test]
fn killed_watcher_gets_no_questions() {
    let world = World::with_hooks(&LASTING.replace("approvals: { approver: watch }\n", ""));
    drop(super::Watcher::start(&world));
    let ran = world.claude(&call("t1", "ls")).run();
    assert!(ran.stdout.contains("no approver is watching"), "{ran:?}");
}
