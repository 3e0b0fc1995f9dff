//! `tenter memory forget` reports where forgotten text remains.

use serde_json::{Value, json};

use crate::world::World;

const HOOKS: &str = "version: 1
hooks:
  prompt:submit:
    - name: memory-recall
      builtin: memory.recall
";
const FACT: &str = "The staging database is rebuilt every Tuesday at noon";

/// Remembers something, and says its id.
fn remembered(world: &World, text: &str) -> String {
    let ran = world.tenter(&["memory", "add", text, "--json"]).run();
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    said["id"].as_str().unwrap_or_else(|| panic!("{said}")).to_owned()
}

fn recalled(world: &World) {
    let prompt = "when is the staging database rebuilt? on which day?";
    let payload = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "ann", "cwd": world.project(), "prompt": prompt,
    });
    let reported: String =
        world.claude(&payload.to_string()).run().field("/hookSpecificOutput/additionalContext");
    assert!(reported.contains(FACT), "{reported}");
}

#[test]
fn forget_names_files_with_the_text() {
    let world = World::with_hooks(HOOKS);
    let (reported, kept) =
        (remembered(&world, FACT), remembered(&world, "This text was never sent to an agent"));
    recalled(&world);
    let trail = std::fs::canonicalize(world.trail()).unwrap();

    let ran = world.tenter(&["memory", "forget", &kept, "--yes"]).run();
    assert!(!ran.stdout.contains("still stands"), "{ran:?}");

    let ran = world.tenter(&["memory", "forget", &reported, "--yes", "--json"]).run();
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(said["forgotten"], json!([reported]));
    assert_eq!(said["remains_in"], json!([{"file": trail, "lines": 1}]), "{said}");

    // The trail is unchanged, and the text output has the same file.
    assert!(std::fs::read_to_string(&trail).unwrap().contains(FACT));
    let again = remembered(&world, FACT);
    let ran = world.tenter(&["memory", "forget", &again, "--yes"]).run();
    for said in
        ["it is still in the audit trail", &format!("{}  1 line", trail.display()), "a new one begins"]
    {
        assert!(ran.stdout.contains(said), "{ran:?}");
    }
    assert_eq!(world.tenter(&["audit", "verify"]).run().code, Some(0));
}
