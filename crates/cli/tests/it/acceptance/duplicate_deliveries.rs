//! One call that is delivered twice: its hooks run once, and both deliveries get the verdict.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::records;
use crate::world::{MESSAGE, Ran, World, bash};

/// A slow guard, so that the other delivery has to wait; a hook that rewrites; and a hook that injects text.
const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: counted, matcher: Bash, command: "sleep 0.03; echo ran >> counter" }
    - { name: quiet, matcher: "Bash(ls)", repeat: always, command: "printf '{\"modify\": {\"tool_input\": {\"command\": \"ls -q\"}}, \"inject\": \"a word\", \"message\": \"to you\"}'" }
    - { name: no-push, matcher: "Bash(git push *)", deny: "not from here" }
"#;

fn call(id: usize, command: &str) -> String {
    json!({
        "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/", "prompt_id": "p", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": format!("toolu_{id}"),
    })
    .to_string()
}

fn deliver_twice(world: &World, payload: &str) -> [Ran; 2] {
    thread::scope(|scope| {
        let deliveries = [(); 2].map(|()| scope.spawn(|| world.claude(payload).run()));
        deliveries.map(|delivery| delivery.join().unwrap())
    })
}

fn runs(world: &World) -> usize {
    fs::read_to_string(world.project().join("counter")).unwrap_or_default().lines().count()
}

#[test]
fn concurrent_deliveries_share_one_verdict() {
    let world = World::with_hooks(HOOKS);
    for round in 0..100 {
        let denied = round % 2 == 0;
        let answers = deliver_twice(&world, &call(round, if denied { "git push -f" } else { "ls" }));
        assert_eq!(runs(&world), round + 1, "the hooks of call {round} ran twice or never");
        let specific = answers.each_ref().map(|ran| ran.answer()["hookSpecificOutput"].clone());
        for key in ["permissionDecision", "permissionDecisionReason", "updatedInput"] {
            assert_eq!(specific[0][key], specific[1][key], "{key} of call {round}");
        }
        if denied {
            assert_eq!(specific[0]["permissionDecision"], "deny", "call {round}");
        } else {
            assert_eq!(specific[0]["updatedInput"]["command"], "ls -q", "call {round}");
        }
        let output = |key: &str| specific.iter().filter(|specific| specific[key].is_string()).count();
        let once = usize::from(!denied);
        assert_eq!(output("additionalContext"), once, "{answers:?}");
        let notice = answers.iter().filter(|ran| !ran.field(MESSAGE).is_empty()).count();
        assert_eq!(notice, once, "{answers:?}");
    }
    let records = records::read(&world);
    let events = || records.iter().filter(|record| record["event"] == "tool:pre");
    assert_eq!(events().count(), 200, "every delivery is recorded");
    let seconds: Vec<&Value> = events().filter(|record| record["delivered_first"].is_string()).collect();
    assert_eq!(seconds.len(), 100);
    for second in seconds {
        let first = events()
            .find(|record| {
                record["timestamp"] == second["delivered_first"]
                    && record["tool"]["call_id"] == second["tool"]["call_id"]
                    && record["hooks"].is_array()
            })
            .unwrap_or_else(|| panic!("no first delivery of {second}"));
        assert_eq!(first["decision"], second["decision"]);
    }
}

#[test]
fn later_delivery_gets_same_verdict() {
    let world = World::with_hooks(HOOKS);
    let answers = [(); 2].map(|()| world.claude(&call(1, "git push -f")).run().answer());
    assert_eq!(runs(&world), 1);
    let decision = |answer: &Value| answer["hookSpecificOutput"]["permissionDecision"].clone();
    assert_eq!(answers.each_ref().map(decision), ["deny", "deny"]);
}

#[test]
fn verdict_is_shared_only_for_same_call() {
    let world = World::with_hooks(HOOKS);
    let other_hooks = world.project().join("other.yaml");
    fs::write(&other_hooks, HOOKS.replace("not from here", "not from there")).unwrap();
    world.claude(&call(1, "ls")).run();
    world.claude(&call(1, "ls -l")).run();
    world.claude(&call(2, "ls")).run();
    world.claude(&call(1, "ls").replace("s1", "s2")).run();
    let path = other_hooks.to_str().unwrap().to_owned();
    world.tenter(&["hook", "claude", "--config", &path]).stdin(call(1, "ls")).run();
    assert_eq!(runs(&world), 5);
    let without_id = bash("ls").replace("tool_use_id", "another_key");
    world.claude(&without_id).run();
    world.claude(&without_id).run();
    assert_eq!(runs(&world), 7);
}

/// The first process is killed while its hook runs: the second must neither wait for it nor continue without a verdict.
#[test]
fn killed_delivery_leaves_call_to_other_process() {
    let hooks = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, command: "echo x >> started; test -e second || sleep 60; exit 2", timeout: 100s }
"#;
    let world = World::with_hooks(hooks);
    let payload = call(1, "ls");
    let mut first = world.claude(&payload).start();
    wait_for(|| world.project().join("started").exists());
    let begun = Instant::now();
    let second = world.claude(&payload).start();
    let log = fs::canonicalize(delivered(&world)).unwrap();
    wait_for(|| !cfg!(target_os = "linux") || has_open(second.id(), &log));
    fs::write(world.project().join("second"), "").unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    let output = second.wait_with_output().unwrap();
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{output:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{output:?}");
}

/// The other process takes longer than the agent waits: a fail-closed guard denies, the rest causes a notice.
#[test]
fn delivery_timeout_follows_each_hooks_policy() {
    for (policy, verdict) in [("deny", json!("deny")), ("allow", Value::Null)] {
        let hooks = format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, command: \"echo x >> started; sleep 60\", timeout: 100s, on_failure: {policy} }}\n"
        );
        let world = World::with_hooks(&hooks);
        let payload = call(1, "ls");
        let mut first = world.claude(&payload).start();
        wait_for(|| world.project().join("started").exists());
        let second = world.tenter(&["hook", "claude", "--within", "1s"]).stdin(&payload).run();
        first.kill().unwrap();
        first.wait().unwrap();
        let answer = second.answer();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], verdict, "{second:?}");
        assert!(second.stdout.contains("was not reached within the 1 s"), "{second:?}");
        assert_eq!(fs::read_to_string(world.project().join("started")).unwrap(), "x\n");
    }
}

/// A hook that passes its own payload to tenter is part of the call, not a second delivery.
#[test]
fn hook_calling_tenter_does_not_deadlock() {
    let tenter = env!("CARGO_BIN_EXE_tenter");
    let hooks = format!(
        "version: 1\nhooks:\n  tool:pre:\n    - {{ name: inner, command: \"{tenter} hook claude >/dev/null 2>&1; exit 0\", timeout: 30s }}\n"
    );
    let world = World::with_hooks(&hooks);
    let ran = world.claude(&call(1, "ls")).run();
    assert!(ran.took < Duration::from_secs(20), "{ran:?}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// The one file in which the calls of the only session are.
fn delivered(world: &World) -> PathBuf {
    let mut sessions = fs::read_dir(world.state().join("tenter/sessions")).unwrap();
    sessions.next().unwrap().unwrap().path().join("delivered")
}

#[test]
fn session_has_one_delivery_log() {
    let world = World::with_hooks(HOOKS);
    world.claude(&call(0, "ls")).run();
    let files = || fs::read_dir(delivered(&world).parent().unwrap()).unwrap().count();
    let before = files();
    for number in 1..5 {
        world.claude(&call(number, "ls")).run();
    }
    assert_eq!(files(), before);
    let mode = std::os::unix::fs::PermissionsExt::mode(&delivered(&world).metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn old_verdict_is_not_reused() {
    let world = World::with_hooks(HOOKS);
    world.claude(&call(1, "ls")).run();
    let text = String::from_utf8(fs::read(delivered(&world)).unwrap()).unwrap();
    let ruled = text.split(' ').nth(1).unwrap();
    let long_ago = format!("{:013}", ruled.parse::<u64>().unwrap() - 90_000);
    fs::write(delivered(&world), text.replacen(ruled, &long_ago, 1)).unwrap();
    world.claude(&call(1, "ls")).run();
    assert_eq!(runs(&world), 2);
}

#[test]
fn hooks_run_twice_without_delivery_log() {
    let world = World::with_hooks(HOOKS);
    fs::create_dir_all(world.state().join("tenter")).unwrap();
    fs::write(world.state().join("tenter/sessions"), "in the way").unwrap();
    for number in 1..=2 {
        let ran = world.claude(&call(1, "git push -f")).run();
        assert_eq!(ran.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{ran:?}");
        assert!(ran.field(MESSAGE).contains("the session state"), "{ran:?}");
        assert_eq!(runs(&world), number);
    }
}

/// Whether a process has this file open. Only Linux shows it.
fn has_open(pid: u32, file: &Path) -> bool {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    descriptors
        .map(|entry| fs::read_link(entry.path()))
        .any(|target| target.is_ok_and(|target| target == file))
}

fn wait_for(there: impl Fn() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it never came");
        thread::sleep(Duration::from_millis(5));
    }
}
