//! The outcome does not depend on the speed of the hooks.

use std::collections::BTreeSet;
use std::thread;

use crate::world::{World, bash};

const RUNS: usize = 100;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - name: first
      matcher: Bash
      repeat: always
      command: >-
        sleep "$FIRST_SLEEPS";
        printf '{"modify": {"tool_input": {"command": "%s --first"}}, "inject": "from first"}' {tool.command}
    - name: says-nothing
      matcher: Bash
      command: "echo '{}'"
    - name: second
      matcher: Bash
      repeat: always
      command: >-
        sleep "$SECOND_SLEEPS";
        printf '{"modify": {"tool_input": {"command": "%s --second"}}, "inject": "from second"}' {tool.command}
"#;

/// Security case P5.
#[test]
fn rewrite_order_ignores_hook_speed() {
    let world = World::with_hooks(HOOKS);
    let run = |number: usize| {
        let (first, second) = if number.is_multiple_of(2) { ("0.01", "0") } else { ("0", "0.01") };
        let call = bash("make").replace("toolu_1", &format!("toolu_{number}"));
        let ran = world.claude(&call).env("FIRST_SLEEPS", first).env("SECOND_SLEEPS", second).run();
        (ran.code, ran.stdout, ran.stderr)
    };
    let answers = thread::scope(|scope| {
        let halves = [0..RUNS / 2, RUNS / 2..RUNS].map(|half| scope.spawn(move || half.map(run).collect()));
        halves.map(|half| -> Vec<_> { half.join().unwrap() }).concat()
    });
    assert_eq!(answers.len(), RUNS);
    let different: BTreeSet<_> = answers.into_iter().collect();
    let expected = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"make --first --second"},"additionalContext":"Hook feedback:\n\nFrom first (10 bytes):\nfrom first\n\nFrom second (11 bytes):\nfrom second"}}"#;
    assert_eq!(different, BTreeSet::from([(Some(0), format!("{expected}\n"), String::new())]));
}
