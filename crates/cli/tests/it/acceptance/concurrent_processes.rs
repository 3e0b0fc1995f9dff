//! Tool calls of one session arrive together, each in a process of its own.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use serde_json::json;

use crate::records;
use crate::world::World;

const AGENTS: usize = 8;
const EVENTS: usize = 200;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: only-once, command: "echo ran >> counter", once: session }
    - { name: once-a-turn, command: "echo ran >> turns", once: turn }
    - { name: every-seventh, command: "echo ran >> sevenths; exit 1", every: 7 }
"#;

#[test]
fn concurrent_processes_lose_no_record() {
    let world = World::with_hooks(HOOKS);
    thread::scope(|scope| {
        for agent in 0..AGENTS {
            let world = &world;
            scope.spawn(move || {
                for number in 0..EVENTS {
                    let payload = json!({
                        "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Bash",
                        "tool_input": {"command": "true"}, "tool_use_id": format!("{agent}/{number}"),
                        "prompt_id": format!("turn {}", number % 4),
                    });
                    let ran = world.claude(&payload.to_string()).run();
                    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
                    let notice = "hook `every-seventh` failed with exit code 1; went on without it";
                    assert!(ran.stdout.is_empty() || ran.stdout.contains(notice), "{}", ran.stdout);
                }
            });
        }
    });
    let mut records = records::read(&world);
    records.retain(|record| record["event"] == "tool:pre");
    let calls: BTreeSet<&str> =
        records.iter().map(|record| record["tool"]["call_id"].as_str().unwrap()).collect();
    assert_eq!(
        (records.len(), calls.len()),
        (AGENTS * EVENTS, AGENTS * EVENTS),
        "a record is lost or doubled"
    );
    let verified = world.tenter(&["audit", "verify"]).run();
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(fs::read_to_string(world.project().join("counter")).unwrap(), "ran\n");
    let lines = |file: &str| fs::read_to_string(world.project().join(file)).unwrap().lines().count();
    assert_eq!((lines("turns"), lines("sevenths")), (4, AGENTS * EVENTS / 7));
    let ran = records.iter().filter(|record| record["hooks"][0]["verdict"] == "abstain").count();
    let skipped = records.iter().filter(|record| record["hooks"][0]["skipped"].is_string()).count();
    assert_eq!((ran, skipped), (1, AGENTS * EVENTS - 1));
}
