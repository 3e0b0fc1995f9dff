//! A cached answer is never another input's, however many processes ask and answer at once.

use std::fs;
use std::thread;

use serde_json::{Value, json};

use crate::records;
use crate::world::World;

const AGENTS: usize = 8;
const EVENTS: usize = 40;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - name: policy
      command: "echo run >> runs; case {tool.command} in *[02468]) echo '{\"deny\": \"even\"}';; esac"
      cache: 10m
"#;

#[test]
fn concurrent_cached_answers_match_their_input() {
    let world = World::with_hooks(HOOKS);
    thread::scope(|scope| {
        for agent in 0..AGENTS {
            let world = &world;
            scope.spawn(move || {
                for event in 0..EVENTS {
                    let number = (agent + event) % 10;
                    let payload = json!({
                        "session_id": format!("s{agent}"), "hook_event_name": "PreToolUse", "cwd": world.project(),
                        "tool_name": "Bash", "tool_input": {"command": format!("make {number}")},
                        "tool_use_id": format!("{agent}/{event}"),
                    });
                    let ran = world.claude(&payload.to_string()).run();
                    assert_eq!(ran.code, Some(0), "{ran:?}");
                    assert_eq!(ran.stdout.contains("denied by policy: even"), number % 2 == 0, "{number}: {ran:?}");
                }
            });
        }
    });
    let records = records::read(&world);
    let hits = records.iter().filter(|record| record["hooks"][0]["cache"] == "hit").count();
    let runs = fs::read_to_string(world.project().join("runs")).unwrap().lines().count();
    assert_eq!((records.len(), hits + runs), (AGENTS * EVENTS, AGENTS * EVENTS));
    // Several may find nothing at the same time, but not much longer than the first run takes.
    assert!((10..AGENTS * 10).contains(&runs), "{runs} runs");
    let reasons = |record: &Value| record["hooks"][0]["reason"].as_str().map(str::to_owned);
    assert!(records.iter().filter_map(reasons).all(|reason| reason == "even"));
}
