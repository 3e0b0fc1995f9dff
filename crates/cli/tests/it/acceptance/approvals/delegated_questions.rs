//! Questions that tenter delegates to the agent.

use super::{approvals, call, event};
use crate::world::{REASON, World};

const PLAIN: &str =
    "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, matcher: Bash, ask: \"Run {tool.command}?\" }\n";

#[test]
fn plain_question_is_delegated_and_observed() {
    let world = World::with_hooks(PLAIN);
    let ran = world.claude(&call("t1", "ls")).env("CLAUDE_CODE_ENTRYPOINT", "cli").run();
    assert_eq!(ran.field("/hookSpecificOutput/permissionDecision"), "ask");
    world.claude(&event("PostToolUse", "t2", "ls")).run();
    assert_eq!(approvals(&world), ["approval:required  guard at tool:pre, approver host"]);
    world.claude(&event("PostToolUse", "t1", "ls")).run();
    assert_eq!(
        approvals(&world)[1..],
        ["approval:granted  guard at tool:pre, approver host: granted: the call has run"]
    );
}

#[test]
fn delegated_answer_is_unknown_without_tool_result() {
    let world = World::with_hooks(PLAIN);
    world.claude(&call("t1", "ls")).run();
    world.claude(r#"{"session_id": "s1", "hook_event_name": "Stop", "cwd": "/"}"#).run();
    assert_eq!(
        approvals(&world)[1..],
        ["approval:unknown  guard at tool:pre, approver host: unknown: the agent keeps the answer to itself"]
    );
}

#[test]
fn headless_session_is_not_asked_through_agent() {
    for (variable, value) in [("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"), ("CLAUDE_CODE_SESSION_ATTENDED", "0")] {
        let world = World::with_hooks(PLAIN);
        let ran = world.claude(&call("t1", "ls")).env(variable, value).run();
        assert!(ran.field(REASON).contains("no approver can be asked"), "{variable}: {ran:?}");
    }
    let world = World::with_hooks(PLAIN);
    let payload = serde_json::json!({
        "session_id": "s1", "hook_event_name": "BeforeTool", "cwd": "/", "timestamp": "2026-01-01T00:00:00Z",
        "transcript_path": "/x", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
    });
    let ran = world.hook("gemini", &payload.to_string()).run();
    assert!(ran.field("/reason").contains("no approver can be asked"), "{ran:?}");
    assert_eq!(ran.field("/decision"), "deny");
}
