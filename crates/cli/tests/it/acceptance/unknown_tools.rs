//! Unknown tools: a rule for everything applies to them, a rule for shells does not.

use serde_json::{Value, json};

use crate::world::{REASON, World};

fn call(agent: &str, tool: &str, input: &Value) -> String {
    if agent == "cline" {
        let call = json!({"id": "t", "name": tool, "input": input});
        return json!({"clineVersion": "", "taskId": "s1", "hookName": "tool_call", "tool_call": call})
            .to_string();
    }
    if matches!(agent, "kilo" | "opencode") {
        return json!({"plugin": agent, "hook_event_name": "tool.execute.before", "session_id": "s1", "cwd": "/",
            "tool": tool, "args": input, "call_id": "t"})
        .to_string();
    }
    let event = if agent == "gemini" { "BeforeTool" } else { "PreToolUse" };
    let mut payload = json!({"session_id": "s1", "hook_event_name": event, "cwd": "/", "tool_name": tool,
        "tool_input": input, "timestamp": "2026-01-01T00:00:00.000Z"});
    if agent != "copilot" {
        payload["tool_use_id"] = json!("t");
    }
    payload.to_string()
}

/// The reason of a deny; empty if the call goes on.
fn denied(world: &World, agent: &str, tool: &str, input: &Value) -> String {
    let ran = world.hook(agent, &call(agent, tool, input)).run();
    if ran.stdout.is_empty() {
        return String::new();
    }
    let pointer = match agent {
        "gemini" | "kilo" | "opencode" => "/reason",
        "copilot" => "/permissionDecisionReason",
        "qwen" => "/stopReason",
        "cline" => "/errorMessage",
        _ => REASON,
    };
    ran.field(pointer)
}

const TOOLS: [&str; 3] = ["report_intent", "NewInTheNextVersion", "mcp__new__thing"];

/// Security case P4: a hook without a matcher judges every tool, known or not, and its policy applies.
#[test]
fn catch_all_guard_judges_unknown_tools() {
    for agent in ["claude", "cline", "codex", "copilot", "gemini", "kilo", "opencode", "qwen"] {
        for rule in ["deny: \"no\"", "command: \"exit 1\", on_failure: deny", "matcher: \"*\", deny: \"no\""]
        {
            let world = World::with_hooks(&format!(
                "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, {rule} }}\n"
            ));
            for tool in TOOLS {
                assert_ne!(denied(&world, agent, tool, &json!({})), "", "{agent}: {tool} passed `{rule}`");
            }
        }
    }
}

/// Security case P4: a guard made for shell commands that fails must not take a harmless tool with it.
#[test]
fn shell_guard_ignores_harmless_tools() {
    for agent in ["claude", "cline", "codex", "copilot", "gemini", "kilo", "opencode", "qwen"] {
        for rule in [
            "matcher: Bash, command: \"exit 1\", on_failure: deny",
            "when: { command: \"*\" }, deny: \"no\"",
            "matcher: \"Bash(git push*)\", deny: \"no\"",
        ] {
            let world = World::with_hooks(&format!(
                "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, {rule} }}\n"
            ));
            for input in [json!({}), json!({"intent": "git push --force"})] {
                assert_eq!(denied(&world, agent, "report_intent", &input), "", "{agent}: `{rule}`");
            }
            let shell = match agent {
                "claude" | "codex" | "copilot" => "Bash",
                "cline" => "run_commands",
                "kilo" | "opencode" => "bash",
                _ => "run_shell_command",
            };
            let command = json!({"command": "git push --force"});
            assert_ne!(denied(&world, agent, shell, &command), "", "{agent}: `{rule}` is a guard");
        }
    }
}
