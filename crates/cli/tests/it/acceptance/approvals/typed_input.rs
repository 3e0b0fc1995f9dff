//! Typed input answers the question that was displayed at that moment, and no other.

use super::watch_terminal::WatchTerminal;
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
    let mut watch_terminal = WatchTerminal::start(&world);
    let harmless = world.claude(&call("t1", "harmless")).start();
    watch_terminal.wait_for_question("Run harmless?");
    watch_terminal.type_keys("allow always");
    watch_terminal.terminal.wait_for("Enter answers with this, Backspace takes it back > allow always");
    harmless.wait_with_output().unwrap();
    watch_terminal.terminal.wait_for("`allow always` was ignored");

    let evil = world.claude(&call("t2", "evil")).start();
    watch_terminal.wait_for_question("Run evil?");
    watch_terminal.type_keys("\r3");
    let output = evil.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied"), "{output:?}");
    watch_terminal.leave();
    assert_eq!(list(&world)["grants"], serde_json::json!([]));
}

/// The question is answered elsewhere and replaced by another just before a key press.
#[test]
fn key_during_question_change_answers_nothing() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 3,", "timeout: 60,"));
    let mut watch_terminal = WatchTerminal::start(&world);
    let harmless = world.claude(&call("t1", "harmless")).start();
    watch_terminal.wait_for_question("Run harmless?");
    let evil = world.claude(&call("t2", "evil")).start();
    watch_terminal.terminal.wait_for("1 more waiting > ");
    let id = list(&world)["questions"][0]["id"].as_str().unwrap().to_owned();
    watch_terminal.type_keys("allow alw");
    world.tenter(&["approvals", "answer", &id, "3"]).run();
    watch_terminal.terminal.wait_for("Run evil?");
    watch_terminal.type_keys("2ays\r");
    watch_terminal.wait_for_question("Run evil?");
    assert_eq!(list(&world)["questions"].as_array().unwrap().len(), 1, "{}", watch_terminal.terminal.seen);
    watch_terminal.type_keys("3");
    let output = evil.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied: Run evil?"), "{output:?}");
    harmless.wait_with_output().unwrap();
    watch_terminal.leave();
    let granted = approvals(&world).into_iter().filter(|line| line.starts_with("approval:granted"));
    assert_eq!(granted.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn second_key_press_answers_nothing() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 3,", "timeout: 60,"));
    let mut watch_terminal = WatchTerminal::start(&world);
    let first = world.claude(&call("t1", "harmless")).start();
    watch_terminal.wait_for_question("Run harmless?");
    let second = world.claude(&call("t2", "evil")).start();
    watch_terminal.terminal.wait_for("1 more waiting > ");
    watch_terminal.type_keys("11");
    assert!(first.wait_with_output().unwrap().stdout.is_empty());
    watch_terminal.wait_for_question("Run evil?");
    watch_terminal.type_keys("x");
    watch_terminal.terminal.wait_for("Backspace takes it back > x");
    watch_terminal.type_keys("\u{7f}3");
    assert!(!second.wait_with_output().unwrap().stdout.is_empty());
    let seen = watch_terminal.leave();
    assert!(!seen.contains("none of the options"), "{seen}");
}

/// Tab discards input before the next question.
#[test]
fn tab_discards_typed_input() {
    let world = World::with_hooks(&HOOKS.replace("timeout: 3,", "timeout: 60,"));
    let mut watch_terminal = WatchTerminal::start(&world);
    let first = world.claude(&call("t1", "harmless")).start();
    watch_terminal.wait_for_question("Run harmless?");
    let second = world.claude(&call("t2", "evil")).start();
    watch_terminal.terminal.wait_for("1 more waiting > ");
    watch_terminal.type_keys("allow always\t");
    watch_terminal.wait_for_question("Run evil?");
    watch_terminal.type_keys("\r3");
    assert!(!second.wait_with_output().unwrap().stdout.is_empty());
    watch_terminal.wait_for_question("Run harmless?");
    watch_terminal.type_keys("1");
    assert!(first.wait_with_output().unwrap().stdout.is_empty());
    watch_terminal.leave();
}
