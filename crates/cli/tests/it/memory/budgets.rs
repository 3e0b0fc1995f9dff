//! Small budgets of the memory's hooks.

use serde_json::{Value, json};

use crate::world::World;

fn context(world: &World, payload: &Value) -> String {
    let printed = world.claude(&payload.to_string()).run().stdout;
    let answer: Value = serde_json::from_str(&printed).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn small_budget_has_room_for_a_lesson() {
    for budget in [50, 60, 80, 100] {
        let hook = |name: &str| {
            let own = name.replace('.', "-");
            format!("[{{ name: {own}, builtin: {{ name: {name}, token_budget: {budget} }} }}]")
        };
        let world = World::with_hooks(&format!(
            "version: 1\nhooks:\n  session:start: {}\n  prompt:submit: {}\n",
            hook("memory.session_start"),
            hook("memory.recall")
        ));
        for goal in ["Speed up the image export", "Fix the flaky login test"] {
            let start = [
                "ghap",
                "start",
                "--goal",
                goal,
                "--hypothesis",
                "A race in the session cache",
                "--action",
                "Look",
                "--prediction",
                "the test passes",
                "--domain",
                "debugging",
                "--strategy",
                "read-the-error",
            ];
            assert_eq!(world.tenter(&start).run().code, Some(0));
            let resolve = [
                "ghap",
                "resolve",
                "falsified",
                "--result",
                "It failed",
                "--surprise",
                "The mutex was never held",
                "--because",
                "Two threads share it",
                "--cause",
                "wrong-assumption",
                "--worked",
                "A lock",
                "--takeaway",
                "Hold the lock",
            ];
            assert_eq!(world.tenter(&resolve).run().code, Some(0));
        }
        world
            .tenter(&["memory", "add", "Ann wants tabs in the login code", "--category", "preference"])
            .run();
        let cwd = world.project();
        let start =
            json!({"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "cwd": cwd});
        let text = context(&world, &start);
        assert!(text.contains("Fix the flaky login test"), "{budget}: {text}");
        assert!(text.len().div_ceil(4) <= budget, "{budget}: {text}");
        let prompt = json!({"session_id": "s2", "hook_event_name": "UserPromptSubmit", "cwd": cwd,
            "prompt": "The login test is flaky again, the session cache races"});
        let text = context(&world, &prompt);
        assert!(text.contains("Fix the flaky login test"), "{budget}: {text}");
        assert!(text.len().div_ceil(4) <= budget, "{budget}: {text}");
    }
}
