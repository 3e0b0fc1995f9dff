//! A failing hook costs its own result and nothing else: the reply arrives in time, tenter notifies the user
//! and records the failure.

use std::time::Duration;

use serde_json::Value;

use crate::records;
use crate::world::{MESSAGE, REASON, World, bash};

/// Far less than the hanging hooks would take, and more than a busy machine does.
const PATIENCE: Duration = Duration::from_secs(20);

struct Case {
    command: &'static str,
    /// The text of the notice after the hook's name.
    notice: &'static str,
    class: &'static str,
    timeout: &'static str,
}

/// Enough for everything that ends by itself.
const AMPLE: &str = "30s";

const CASES: &[Case] = &[
    Case {
        command: "head -c 20000000 /dev/zero | tr '\\0' '{'",
        notice: "gave an answer that cannot be read: the answer is longer than 1048576 bytes",
        class: "error",
        timeout: AMPLE,
    },
    Case { command: "sleep 60", notice: "timed out after 1 s", class: "timeout", timeout: "1s" },
    Case {
        command: "(sleep 60) & trap '' TERM; wait",
        notice: "timed out after 1 s",
        class: "timeout",
        timeout: "1s",
    },
    Case { command: "kill -9 $$", notice: "was killed by signal 9", class: "error", timeout: AMPLE },
    Case {
        command: "echo 'Traceback' >&2; echo 'KeyError: 1' >&2; exit 1",
        notice: "failed with exit code 1 (KeyError: 1)",
        class: "error",
        timeout: AMPLE,
    },
    Case {
        command: "echo 'loading'; echo '{\"allow\": true}'",
        notice: "gave an answer that cannot be read: a reply must be the whole output; the last line looks like one",
        class: "error",
        timeout: AMPLE,
    },
    Case {
        command: "/nowhere/linter {tool.command}",
        notice: "could not be started: ",
        class: "missing",
        timeout: AMPLE,
    },
    Case {
        command: "cd / && ./not-here",
        notice: "could not be started: ",
        class: "missing",
        timeout: AMPLE,
    },
];

fn machine(case: &Case, policy: &str) -> World {
    let (command, timeout) = (Value::from(case.command), case.timeout);
    World::with_hooks(&format!(
        "version: 1\nhooks:\n  tool:pre:\n    - {{ name: bad, matcher: Bash, command: {command}, timeout: {timeout}, on_failure: {policy} }}\n    - {{ name: good, matcher: Bash, inject: \"Still here.\" }}\n"
    ))
}

fn failures(world: &World) -> Vec<Value> {
    records::read(world).into_iter().filter(|record| record["event"] == "hook:failed").collect()
}

/// Security case P3.
#[test]
fn failed_hook_is_recorded_and_next_runs() {
    for case in CASES {
        let world = machine(case, "allow");
        let ran = world.claude(&bash("ls")).run();
        assert!(ran.took < PATIENCE, "{}: took {:?}", case.command, ran.took);
        let message = ran.field(MESSAGE);
        let expected = format!("tenter: warning: hook `bad` {}", case.notice);
        assert!(message.starts_with(&expected), "{}: {message}", case.command);
        assert!(message.ends_with("; went on without it"), "{}: {message}", case.command);
        assert_eq!(ran.field("/hookSpecificOutput/additionalContext"), "Still here.", "{}", case.command);
        assert_eq!(ran.stderr, "", "{}", case.command);
        let recorded: Vec<Value> = failures(&world).iter().map(|it| it["failure"]["class"].clone()).collect();
        assert_eq!(recorded, [case.class], "{}", case.command);
    }
}

/// Security case P3.
#[test]
fn failed_guard_denies_with_cause() {
    for case in CASES {
        let world = machine(case, "deny");
        let ran = world.claude(&bash("ls")).run();
        assert!(ran.took < PATIENCE, "{}: took {:?}", case.command, ran.took);
        let reason = ran.field(REASON);
        let expected = format!("Operation denied by bad: the hook {}", case.notice);
        assert!(reason.starts_with(&expected), "{}: {reason}", case.command);
        assert!(reason.ends_with(", and its `on_failure` says deny"), "{}: {reason}", case.command);
        let recorded: Vec<Value> =
            failures(&world).iter().map(|it| it["failure"]["policy"].clone()).collect();
        assert_eq!(recorded, ["deny"], "{}", case.command);
    }
}

/// A shell error is both the failure and the last line of stderr.
#[test]
fn hook_stderr_appears_once_in_notice() {
    let world = machine(&Case { command: "nowhere-at-all", notice: "", class: "", timeout: AMPLE }, "allow");
    let message = world.claude(&bash("ls")).run().field(MESSAGE);
    assert_eq!(message.matches("nowhere-at-all").count(), 1, "{message}");
}
