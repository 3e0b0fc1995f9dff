//! A failing guard stays a guard: the policy of its failure class applies every time, with a notice.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::records;
use crate::world::{MESSAGE, REASON, World, bash};

/// A guard that is a file in the project, under version control, and one that is a line of shell.
fn guarded_by_a_file(policy: &str) -> World {
    let world = World::new();
    let guard = world.project().join("guard");
    world.write_hooks(
        "yaml",
        &format!(
            "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, matcher: Bash, script: {}, on_failure: {policy} }}\n",
            Value::from(guard.to_str().unwrap())
        ),
    );
    let made = world.sh("
        git init --quiet --initial-branch=main .
        git config user.name T; git config user.email t@example.com
        git commit --quiet --allow-empty -m before
        git branch before
        printf '#!/bin/sh\\necho \"not on my watch\" >&2; exit 2\\n' >guard
        chmod +x guard; git add guard; git commit --quiet -m guard");
    assert_eq!(made.code, Some(0), "{made:?}");
    world
}

/// A change of the guard and the resulting reason.
type Loss = (fn(&World), &'static str);

const LOSSES: [Loss; 4] = [
    (|world| assert_eq!(world.sh("git checkout --quiet before").code, Some(0)), "does not exist"),
    (|world| fs::remove_file(world.project().join("guard")).unwrap(), "does not exist"),
    (
        |world| {
            fs::set_permissions(world.project().join("guard"), fs::Permissions::from_mode(0o644)).unwrap();
        },
        "is not executable; type `chmod +x ",
    ),
    (
        |world| {
            fs::remove_file(world.project().join("guard")).unwrap();
            fs::create_dir(world.project().join("guard")).unwrap();
        },
        "is not a file",
    ),
];

/// Security case P3: deleted by `git checkout`, deleted, not executable, replaced by a folder.
#[test]
fn guard_removed_during_session_still_denies() {
    for (take_away, why) in LOSSES {
        let world = guarded_by_a_file("deny");
        assert_eq!(
            world.claude(&bash("ls")).run().field(REASON),
            "Operation denied by guard: not on my watch"
        );
        take_away(&world);
        let reason = world.claude(&bash("ls -l")).run().field(REASON);
        assert!(reason.starts_with("Operation denied by guard: the hook could not be started: "), "{reason}");
        assert!(reason.contains(why), "{reason}");
    }
}

/// Security case P3: a fail-open hook passes the call and notifies the user each time.
#[test]
fn missing_fail_open_hook_notifies_every_call() {
    for (take_away, why) in LOSSES {
        let world = guarded_by_a_file("allow");
        take_away(&world);
        for number in 0..3 {
            let message = world.claude(&bash(&format!("ls {number}"))).run().field(MESSAGE);
            assert!(message.starts_with("tenter: warning: hook `guard` could not be started: "), "{message}");
            assert!(message.contains(why) && message.ends_with("; went on without it"), "{message}");
        }
    }
}

/// Security case P3: each failure class has its own policy, and an unnamed class keeps the default.
#[test]
fn failure_class_policy_applies() {
    for (command, class) in
        [("/nowhere/guard", "missing"), ("exit 1", "error"), ("kill -9 $$", "error"), ("sleep 60", "timeout")]
    {
        for named in ["missing", "error", "timeout"] {
            let world = World::with_hooks(&format!(
                "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, command: {}, timeout: 1s, on_failure: {{ {named}: deny }} }}\n",
                Value::from(command)
            ));
            let ran = world.claude(&bash("ls")).run();
            let denied = !ran.field(REASON).is_empty();
            assert_eq!(denied, class == named, "`{command}` with {named}: deny: {ran:?}");
            assert_eq!(ran.field(MESSAGE).is_empty(), denied, "`{command}` with {named}: deny: {ran:?}");
        }
    }
}

/// Security case P9: no number of failures disables a guard.
#[test]
fn repeated_failures_disarm_no_guard() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, command: \"test -e mended && echo 'mended' >&2 && exit 2; exit 1\", on_failure: deny }\n    - { name: lenient, command: \"exit 1\" }\n",
    );
    for number in 1..=100 {
        let ran = world.claude(&bash(&format!("ls {number}"))).run();
        let reason = ran.field(REASON);
        assert!(reason.contains("denied by guard: the hook failed with exit code 1"), "{number}: {ran:?}");
    }
    fs::write(world.project().join("mended"), "").unwrap();
    assert_eq!(world.claude(&bash("ls")).run().field(REASON), "Operation denied by guard: mended");
    let failed = records::read(&world).into_iter().filter(|record| record["event"] == "hook:failed");
    assert_eq!(failed.filter(|record| record["hook_name"] == "guard").count(), 100);
}

/// Security case P9: an agent without its own limit may stop at the ninth attempt, and a new prompt resets
/// the count.
#[test]
fn stop_hook_counts_eight_times() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  orchestrator:complete:\n    - { name: more, deny: \"Not yet.\" }\n",
    );
    let stops = |active: bool| {
        let payload = serde_json::json!({"hook_event_name": "AfterAgent", "session_id": "s1",
            "cwd": world.project(), "timestamp": "2026-01-01T00:00:00.000Z", "prompt": "go",
            "prompt_response": "Done.", "stop_hook_active": active});
        let ran = world.hook("gemini", &payload.to_string()).run();
        ran.stdout.contains("\"deny\"")
    };
    let denied: Vec<bool> = (0..12).map(|number| stops(number > 0)).collect();
    assert_eq!(denied.iter().filter(|denied| **denied).count(), 8, "{denied:?}");
    assert!(denied[..8].iter().all(|denied| *denied), "{denied:?}");
    assert!(stops(false), "a new turn begins");
}

/// Copilot CLI ignores the exit code of prompt hooks, so an invalid payload is denied in the reply.
#[test]
fn invalid_payload_is_denied_in_reply() {
    let world = guarded_by_a_file("deny");
    for (payload, why) in [
        ("{".to_owned(), "the payload is not JSON"),
        ("[".repeat(65 << 20), "the payload is larger than 64 MiB"),
    ] {
        let ran = world.hook("copilot", &payload).run();
        for (decision, reason) in [
            ("/decision", "/reason"),
            ("/permissionDecision", "/permissionDecisionReason"),
            ("/behavior", "/message"),
        ] {
            assert!(["block", "deny"].contains(&ran.field(decision).as_str()), "{decision}: {ran:?}");
            let output = ran.field(reason);
            assert!(output.starts_with(&format!("Operation denied by tenter: {why}")), "{reason}: {output}");
            assert!(output.ends_with("hook `guard` is a guard and could not judge it"), "{reason}: {output}");
        }
    }
}

#[test]
fn guard_needing_path_denies_call_without_path() {
    let world = World::with_hooks(
        "hooks:\n  tool:pre:\n    - { name: g, command: \"true {tool.path}\", on_failure: deny }\n",
    );
    let ran = world.claude(&bash("ls")).run();
    assert!(ran.field(REASON).contains("the event has no tool.path"), "{ran:?}");
}

#[test]
fn resumed_session_hint_names_existing_event() {
    let ran = World::new().tenter(&["emit", "session:resume"]).stdin("{}").run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("session:start"), "{ran:?}");
}
