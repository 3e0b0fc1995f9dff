//! What hooks leave open, the agent asks its user; where nobody can be asked, it is not done.

use std::sync::Arc;

use serde_json::json;
use tenter_agent::tools;
use tenter_agent::{Agent, Journal, Parts, Permission};
use tenter_contract::{EventKind, HookReply, Patch, Rewrite, Verdict};

use crate::kit::{Line, World, briefly, prompt};

fn world(permission: Permission, path: &str) -> World {
    let write = Line::Calls(vec![("Write", json!({"file_path": path, "content": "x"}))]);
    World { permission, ..World::new([write]) }
}

fn result(world: &World) -> String {
    prompt(&mut world.agent(), "Go").unwrap();
    briefly(&world.asked(1))[2].clone()
}

#[test]
fn nobody_to_ask_is_a_no() {
    let world = world(Permission::Look, "a.txt");
    let said = result(&world);
    assert!(said.starts_with("failure: ") && said.contains("May I use Write on a.txt?"), "{said}");
    assert!(!world.path().join("a.txt").exists());
    assert!(world.kinds().contains(&"permission:request".to_owned()));
}

#[test]
fn nobody_is_asked_about_a_command_that_says_nothing() {
    for command in ["", "  \n"] {
        let line = Line::Calls(vec![("Bash", json!({"command": command}))]);
        let world = World { permission: Permission::Look, ..World::new([line]) };
        let parts = Parts { tools: Arc::new(tools::own()), ..world.parts() };
        prompt(&mut Agent::new(parts, "s1", Journal::none()), "Go").unwrap();
        let said = briefly(&world.asked(1))[2].clone();
        assert!(said.starts_with("failure: `command` must be a text that is not empty; it is "), "{said}");
        let kinds = world.kinds();
        assert!(!kinds.contains(&"permission:request".to_owned()) && !kinds.contains(&"tool:pre".to_owned()));
        assert!(kinds.contains(&"tool:error".to_owned()), "{kinds:?}");
    }
}

#[test]
fn edits_are_those_of_the_project_wherever_a_path_leads() {
    assert_eq!(result(&world(Permission::Edits, "a.txt")), "result: written");
    for outside in ["../a.txt", "/tmp/a.txt", "new/../../a.txt"] {
        assert!(result(&world(Permission::Edits, outside)).starts_with("failure: "), "{outside}");
    }
    let world = world(Permission::Edits, "link/a.txt");
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), world.path().join("link")).unwrap();
    assert!(result(&world).starts_with("failure: "));
    assert!(!elsewhere.path().join("a.txt").exists());
}

#[test]
fn a_hook_that_allows_answers_the_question() {
    let allow = |_: &tenter_contract::Event| HookReply {
        verdict: Verdict::Allow { reason: None },
        ..HookReply::default()
    };
    for event in [EventKind::ToolPre, EventKind::PermissionRequest] {
        let world = world(Permission::Look, "a.txt").hook(event.clone(), "yes", allow);
        assert_eq!(result(&world), "result: written", "{event}");
    }
}

#[test]
fn looking_needs_no_question() {
    let look = Line::Calls(vec![("Look", json!({}))]);
    let world = World { permission: Permission::Look, ..World::new([look]) };
    assert_eq!(result(&world), "result: {}");
    assert!(!world.kinds().contains(&"permission:request".to_owned()));
}

/// Whoever answers the agent's question cannot lead a call past the guards.
#[test]
fn an_input_that_is_rewritten_with_a_permission_is_judged_again() {
    let world = world(Permission::Look, "a.txt")
        .hook(EventKind::PermissionRequest, "yes", |_| {
            let input = json!({"file_path": ".env", "content": "x"}).as_object().cloned().unwrap();
            let allow = HookReply { verdict: Verdict::Allow { reason: None }, ..HookReply::default() };
            allow.rewrite(Rewrite::ToolInput(Patch::Replace(input)))
        })
        .hook(EventKind::ToolPre, "guard", |event| {
            let path = event.tool.as_ref().and_then(|tool| tool.path());
            if path == Some(".env") { HookReply::deny("no") } else { HookReply::default() }
        });
    assert_eq!(result(&world), "failure: Operation denied by guard: no");
    assert!(!world.path().join(".env").exists());
}
