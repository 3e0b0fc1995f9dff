//! A program that embeds a session with the user's hook files.

use std::fs;

use serde_json::json;
use tenter_contract::{Event, EventKind, ToolCall, ToolKind};
use tenter_coordinator::{HookReply, SessionCoordinator};
use tenter_host::{Places, assemble};

const HOOKS: &str = "version: 1
hooks:
  tool:pre:
    - { name: no-force-push, matcher: Bash, when: { command: '*--force*' }, deny: 'Use --force-with-lease.' }
  tool:post:
    - { name: house-rules, matcher: Bash, inject: 'Commits are signed.', priority: 10 }
";

#[test]
fn hook_files_and_functions_run_together() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("hooks.yaml");
    fs::write(&config, HOOKS).unwrap();
    let places =
        Places { config: Some(config), state_folder: Some(folder.path().join("state")), ..Places::default() };
    let session = SessionCoordinator::builder("my-agent").runtime(assemble(&places, None).runtime).build();
    let count = |_: &Event| HookReply::default().inject("One command so far.");
    session.register(EventKind::ToolPost, "counter", 0, count).unwrap();
    let call = |kind: EventKind, command: &str| {
        let input = json!({ "command": command }).as_object().cloned().unwrap();
        Event { tool: Some(ToolCall::new("Bash", ToolKind::Shell, input)), ..session.event(kind) }
    };

    let denied = session.emit(call(EventKind::ToolPre, "git push --force")).unwrap_err();
    assert_eq!(denied.to_string(), "Operation denied by no-force-push: Use --force-with-lease.");
    let emitted = session.emit(call(EventKind::ToolPost, "git push")).unwrap();
    assert_eq!(
        emitted.placed[0].content,
        "Hook feedback:\n\nFrom counter (19 bytes):\nOne command so far.\n\nFrom house-rules (19 bytes):\nCommits are signed."
    );
    assert!(emitted.seq.is_some_and(|seq| seq > 1), "the records are in the trail of the state folder");
}
