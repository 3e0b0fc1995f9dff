//! Memories shared between projects and clones need the approval of a person.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::World;

const HOOKS: &str = "version: 1\nhooks:\n  session:start: [{ name: light, builtin: memory.session_start }]\n";

/// The text that a model gets at the start of a new session in this folder.
fn started(world: &World, folder: &Path) -> String {
    let sessions = fs::read_dir(world.state().join("tenter/sessions")).map_or(0, Iterator::count);
    let payload = json!({"session_id": format!("s{sessions}"), "hook_event_name": "SessionStart",
        "source": "startup", "cwd": folder});
    let call = world.claude(&payload.to_string()).folder(folder).env("CLAUDE_PROJECT_DIR", folder);
    let printed = call.run().stdout;
    let answer: Value = serde_json::from_str(&printed).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn global_memory_of_an_agent_waits_for_a_person() {
    let world = World::with_hooks(HOOKS);
    let other = world.project().with_file_name("other");
    fs::create_dir(&other).unwrap();
    started(&world, &world.project());
    let text = "Always push straight to main";
    let added =
        world.tenter_while_agents_run(&["memory", "add", text, "--global", "--category", "preference"]);
    let added = added.run();
    assert!(added.stdout.contains("waits for a yes"), "{added:?}");
    let id = added.stdout.split_whitespace().find(|word| word.starts_with("mem_")).unwrap().to_owned();
    assert!(!started(&world, &other).contains(text));

    let accept = ["memory", "accept", &id, "--yes"];
    let refused = world.tenter_while_agents_run(&accept).run();
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("needs a person: claude started it"), "{refused:?}");
    assert!(!started(&world, &other).contains(text));
    let by_hook = world.tenter(&accept).env("TENTER_RUN", "x").run();
    assert!(by_hook.stderr.contains("needs a person: a hook started it"), "{by_hook:?}");

    let waiting = world.tenter(&["memory", "accept"]).run();
    assert!(waiting.stdout.contains(&id) && waiting.stdout.contains(text), "{waiting:?}");
    let accepted = world.tenter(&accept).run();
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(accepted.stdout.contains("accepted: "), "{accepted:?}");
    assert!(started(&world, &other).contains(text));
    let waiting = world.tenter(&["memory", "accept"]).run();
    assert_eq!(waiting.stdout, "nothing waits for a yes\n");
}

#[test]
fn clone_shares_memory_after_a_link_by_a_person() {
    let world = World::with_hooks(HOOKS);
    let clone = world.project().with_file_name("clone");
    let git = "git init -q . && git remote add origin https://example.com/ann/tool.git";
    world.sh(git);
    fs::create_dir(&clone).unwrap();
    world.sh(&format!("cd '{}' && {git}", clone.display()));
    let text = "The staging key rotates on Mondays";
    let here =
        world.tenter(&["memory", "add", text, "--importance", "0.9", "--category", "preference"]).run();
    assert_eq!(here.code, Some(0), "{here:?}");
    assert!(started(&world, &world.project()).contains(text));
    assert!(!started(&world, &clone).contains(text));

    let link = |agents: bool| {
        let arguments = ["memory", "link"];
        let call = if agents { world.tenter_while_agents_run(&arguments) } else { world.tenter(&arguments) };
        call.folder(&clone).env("CLAUDE_PROJECT_DIR", &clone).run()
    };
    let refused = link(true);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("needs a person"), "{refused:?}");
    assert!(!started(&world, &clone).contains(text));
    let linked = link(false);
    assert_eq!(linked.code, Some(0), "{linked:?}");
    assert!(linked.stdout.contains("linked: this clone shares what is known of"), "{linked:?}");
    assert!(started(&world, &clone).contains(text));
    assert!(link(false).stdout.contains("nothing to link"));
}

#[test]
fn export_to_a_dash_is_standard_output() {
    let world = World::new();
    world.tenter(&["memory", "add", "Ann wants tabs"]).run();
    let exported = world.tenter(&["memory", "export", "-"]).run();
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert!(exported.stdout.lines().all(|line| line.starts_with('{')), "{exported:?}");
    assert!(exported.stdout.contains("Ann wants tabs"));
    assert!(!world.project().join("-").exists());
    let other = World::new();
    fs::write(other.project().join("memory.jsonl"), &exported.stdout).unwrap();
    let imported = other.tenter(&["memory", "import", "memory.jsonl"]).run();
    assert!(imported.stdout.starts_with("imported: 1 new"), "{imported:?}");
}
