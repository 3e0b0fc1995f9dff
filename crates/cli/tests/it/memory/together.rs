//! Ten processes at once.

use std::process::Child;

use serde_json::{Value, json};

use crate::world::World;

const HOOKS: &str = "version: 1
hooks:
  tool:error:
    - name: memory-outcome
      matcher: shell
      builtin: memory.outcome
";

/// What they print, when all have ended.
fn printed(all: Vec<Child>) -> Vec<String> {
    all.into_iter().map(|one| String::from_utf8(one.wait_with_output().unwrap().stdout).unwrap()).collect()
}

#[test]
fn one_of_ten_processes_starts_an_entry() {
    let world = World::new();
    let begins = |number: usize| {
        let entry = json!({
            "domain": "debugging", "strategy": "ask-user", "goal": format!("goal {number}"), "hypothesis": "h",
            "action": "a", "prediction": "p", "session_id": "one",
        });
        world.tenter(&["mcp", "call", "start_ghap", &entry.to_string()]).start()
    };
    let said = printed((0..10).map(begins).collect());
    let said: Vec<Value> = said.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let begun: Vec<&Value> = said.iter().filter(|it| it["id"].is_string()).collect();
    let refused = said.iter().filter(|it| it["error"]["type"] == "active_ghap_exists").count();
    assert_eq!((begun.len(), refused), (1, 9), "{said:?}");
    let shown = world.tenter(&["ghap", "show", "--json"]).run().answer();
    assert_eq!(shown["active"][0]["entry"]["id"], begun[0]["id"]);
    assert_eq!(shown["active"].as_array().unwrap().len(), 1);
}

#[test]
fn one_of_ten_failures_is_reported() {
    let world = World::with_hooks(HOOKS);
    let failing = |number: usize| {
        let payload = json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "one", "cwd": world.project(),
            "tool_use_id": format!("toolu_{number}"), "tool_name": "Bash",
            "tool_input": {"command": format!("pytest test_{number}.py")},
            "error": "Exit code 1\n1 failed in 0.1s", "is_interrupt": false,
        });
        world.claude(&payload.to_string()).start()
    };
    // The first call of all reads the hook file; none of these waits for another.
    for first in [0, 10] {
        let said = printed((first..first + 10).map(failing).collect());
        let warned = said.iter().filter(|text| text.contains("Consider starting a GHAP")).count();
        assert_eq!(warned, usize::from(first == 0), "{said:?}");
    }
}
