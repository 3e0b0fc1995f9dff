//! What is typed answers the question that was on show when it was typed, and never another.

use super::watch_terminal::ProgressObserver;
use super::{approvals, call, list};
use crate::world::World;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: hasty, matcher: Bash, when: { command: "harmless*" }, ask: { prompt: "Run {tool.command}?", timeout: 3, options: ["Allow once", "Allow always", "Deny"] } }
    - { name: guard, matcher: Bash, when: { command: "evil*" }, ask: { prompt: "Run {tool.command}?", timeout: 60, options: ["Allow once", "Allow always", "Deny"] } }
"#;

#[test]
fn input_for_expired_question_is_discarded() {
    let world = World::with_hooks(HOOKS);
    let mut progress_observer = ProgressObserver::start(&world);
    let harmless = world.claude(&call("t1", "harmless")).start();
    progress_observer.wait_for_question("Run harmless?");
    progress_observer.types("allow always");
    progress_observer.terminal.wait_for("Enter answers with this, Backspace takes it back > allow always");
    harmless.wait_with_output().unwrap();
    progress_observer.terminal.wait_for("`allow always` answers nothing");

    let evil = world.claude(&call("t2", "evil")).start();
    progress_observer.wait_for_question("Run evil?");
    progress_observer.types("\r3");
    let output = evil.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied"), "{output:?}");
    progress_observer.leave();
    assert_eq!(list(&world)["grants"], serde_json::json!([]));
}

/// The question is answered elsewhere, and another takes its place, while somebody is about to press a key.
#[test]
fn key_during_question_change_answers_nothing() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 3,", "timeout: 60,"));
    let mut progress_observer = ProgressObserver::start(&world);
    let harmless = world.claude(&call("t1", "harmless")).start();
    progress_observer.wait_for_question("Run harmless?");
    let evil = world.claude(&call("t2", "evil")).start();
    progress_observer.terminal.wait_for("1 more waiting > ");
    let id = list(&world)["questions"][0]["id"].as_str().unwrap().to_owned();
    progress_observer.types("allow alw");
    world.tenter(&["approvals", "answer", &id, "3"]).run();
    progress_observer.terminal.wait_for("Run evil?");
    progress_observer.types("2ays\r");
    progress_observer.wait_for_question("Run evil?");
    assert_eq!(list(&world)["questions"].as_array().unwrap().len(), 1, "{}", progress_observer.terminal.seen);
    progress_observer.types("3");
    let output = evil.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied: Run evil?"), "{output:?}");
    harmless.wait_with_output().unwrap();
    progress_observer.leave();
    let granted = approvals(&world).into_iter().filter(|line| line.starts_with("approval:granted"));
    assert_eq!(granted.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn second_key_press_answers_nothing() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 3,", "timeout: 60,"));
    let mut progress_observer = ProgressObserver::start(&world);
    let first = world.claude(&call("t1", "harmless")).start();
    progress_observer.wait_for_question("Run harmless?");
    let second = world.claude(&call("t2", "evil")).start();
    progress_observer.terminal.wait_for("1 more waiting > ");
    progress_observer.types("11");
    assert!(first.wait_with_output().unwrap().stdout.is_empty());
    progress_observer.wait_for_question("Run evil?");
    progress_observer.types("x");
    progress_observer.terminal.wait_for("Backspace takes it back > x");
    progress_observer.types("\u{7f}3");
    assert!(!second.wait_with_output().unwrap().stdout.is_empty());
    let seen = progress_observer.leave();
    assert!(!seen.contains("none of the options"), "{seen}");
}

/// Tab leaves nothing behind for the question that comes then.
#[test]
fn tab_discards_typed_input() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 3,", "timeout: 60,"));
    let mut progress_observer = ProgressObserver::start(&world);
    let first = world.claude(&call("t1", "harmless")).start();
    progress_observer.wait_for_question("Run harmless?");
    let second = world.claude(&call("t2", "evil")).start();
    progress_observer.terminal.wait_for("1 more waiting > ");
    progress_observer.types("allow always\t");
    progress_observer.wait_for_question("Run evil?");
    progress_observer.types("\r3");
    assert!(!second.wait_with_output().unwrap().stdout.is_empty());
    progress_observer.wait_for_question("Run harmless?");
    progress_observer.types("1");
    assert!(first.wait_with_output().unwrap().stdout.is_empty());
    progress_observer.leave();
}
