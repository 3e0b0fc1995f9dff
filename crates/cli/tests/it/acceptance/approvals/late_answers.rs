//! An answer after the timeout has no effect, even if the asking process was suspended meanwhile.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{Watcher, approvals, call, list, wait_for_question};
use crate::world::World;

const HOOKS: &str = r#"version: 1
approvals: { approver: watch }
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run?", timeout: 2, options: ["Allow always", "Deny"] } }
"#;

#[test]
fn suspended_process_rejects_late_answer() {
    let world = World::with_hooks(HOOKS);
    let asking = world.claude(&call("t1", "make")).start();
    let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
    let pid = Pid::from_child(&asking);
    kill_process(pid, Signal::STOP).unwrap();
    while list(&world)["questions"] != json!([]) {}
    let late = world.tenter(&["approvals", "answer", &id, "Allow always"]).run();
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(late.stderr.contains("came too late: the question timed out"), "{late:?}");
    // Another program writes this answer without checking the time.
    let folder = world.state().join("tenter/approvals/questions").join(&id);
    std::fs::write(folder.join("answer.json"), r#"{"option": "Allow always"}"#).unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    let output = asking.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("Timeout - denied by default"), "{output:?}");
    assert_eq!(list(&world), json!({"questions": [], "grants": [], "rules": []}));
    assert!(approvals(&world)[1].starts_with("approval:timeout"), "{:?}", approvals(&world));
}

#[test]
fn folder_approver_rejects_late_answer() {
    let world = World::with_hooks(&HOOKS.replace("approver: watch", "approver: file"));
    let asking = world.claude(&call("t1", "make")).start();
    let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
    let folder = world.state().join("tenter/approvals/approver");
    while !folder.join(format!("{id}.question.json")).exists() {}
    let pid = Pid::from_child(&asking);
    kill_process(pid, Signal::STOP).unwrap();
    while list(&world)["questions"] != json!([]) {}
    std::fs::write(folder.join(format!("{id}.answer.json")), r#"{"option": "Allow always"}"#).unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    let output = asking.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("Timeout - denied by default"), "{output:?}");
    assert_eq!(list(&world)["grants"], json!([]));
}

/// A second answer reports the first one and how to revoke it.
#[test]
fn second_answer_reports_the_first() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 2", "timeout: 60"));
    for (number, option, how, hint) in [
        ("t1", "Allow always", "granted: Allow always", "approvals revoke"),
        ("t2", "Deny", "denied: Deny", "the first answer counts"),
    ] {
        let asking = world.claude(&call(number, number)).start();
        let id = wait_for_question(&world)["id"].as_str().unwrap().to_owned();
        world.tenter(&["approvals", "answer", &id, option]).run();
        asking.wait_with_output().unwrap();
        let again = world.tenter(&["approvals", "answer", &id, "Deny"]).run();
        assert_eq!(again.code, Some(1), "{again:?}");
        assert!(again.stderr.contains(&format!("question {id} is closed: {how}")), "{again:?}");
        assert!(again.stderr.contains(hint), "{again:?}");
    }
    let never = world.tenter(&["approvals", "answer", "zzzzzzzz", "Deny"]).run();
    assert!(never.stderr.contains("no open question has the id `zzzzzzzz`"), "{never:?}");
}

#[test]
fn watcher_recognises_its_own_answer() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 2", "timeout: 60"));
    let mut watcher = Watcher::start(&world);
    let asking = world.claude(&call("t1", "make")).start();
    let id = watcher.question()["id"].clone();
    watcher.answer(&id, "Deny");
    asking.wait_with_output().unwrap();
    assert_eq!(watcher.next_of_kind("closed")["why"], "answered here: denied (Deny)");
}

/// A call during which tenter was killed has no record except those of its question.
#[test]
fn audit_lists_question_of_killed_process() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 2", "timeout: 60"));
    let nothing = world.tenter(&["audit", "show", "--verdict", "ask"]).run();
    assert!(nothing.stdout.contains("`tenter audit show --asked` has every question"), "{nothing:?}");
    let mut asking = world.claude(&call("t1", "make")).start();
    wait_for_question(&world);
    asking.kill().unwrap();
    asking.wait().unwrap();
    for filter in [&["--asked"][..], &["--event", "approval:withdrawn"]] {
        let shown = world.tenter(&[&["audit", "show"][..], filter].concat()).run();
        assert!(shown.stdout.contains("ended while it waited for an answer"), "{filter:?}: {shown:?}");
        assert_eq!(shown.stdout.lines().count(), 1, "{filter:?}: {shown:?}");
    }
    for name in ["unknown", "rule_made", "rule_revoked", "grant_revoked"] {
        let shown = world.tenter(&["audit", "show", "--event", &format!("approval:{name}")]).run();
        assert_eq!(shown.code, Some(0), "{shown:?}");
    }
}
