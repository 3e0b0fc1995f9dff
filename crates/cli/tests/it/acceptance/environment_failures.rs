//! The table *Failures around tenter* of `docs/reference/failure-behaviour.md`. Every cell is observed with the real
//! programs, for one agent of each way to be stopped.

mod causes;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::{Call, Ran, World};
use causes::{CAUSES, Cause};

/// Agents that differ in how they are stopped and in how they notify the user.
pub(super) const AGENTS: [&str; 8] =
    ["claude", "codex", "gemini", "qwen", "copilot", "cline", "opencode", "cursor"];

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/failure-behaviour.md");
const BEGIN: &str = "<!-- generated: failures around tenter -->";
const END: &str = "<!-- end of failures around tenter -->";

#[test]
fn environment_failure_table_matches_behaviour() {
    let mut table = format!("| cause | {} |\n|---|{}\n", AGENTS.join(" | "), "---|".repeat(AGENTS.len()));
    for cause in CAUSES {
        let cell = |agent: &&str| {
            let applies = cause.only.is_empty() || cause.only.contains(agent);
            if applies { observe(cause, agent) } else { "–".to_owned() }
        };
        let cells: Vec<String> = AGENTS.iter().map(cell).collect();
        writeln!(table, "| {} | {} |", cause.what, cells.join(" | ")).unwrap();
    }
    let text = fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect(BEGIN);
    let (written, after) = rest.split_once(END).expect(END);
    let wanted = format!("\n{}\n", table.trim());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(DOCUMENT, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
    } else {
        assert_eq!(written, wanted, "the table of failures is stale; run `just docs`");
    }
}

fn observe(cause: &Cause, agent: &str) -> String {
    let world = World::new();
    let ran = (cause.trigger)(&world, agent);
    assert!(ran.code.is_some(), "{} with {agent} died of a signal: {ran:?}", cause.what);
    let reaction = if is_stopped(agent, &ran) { "denied" } else { "open" };
    assert_eq!(
        is_stopped(agent, &ran),
        !cause.open_in.contains(&agent),
        "{} with {agent}: {ran:?}",
        cause.what
    );
    let letters = notified(&world, agent, &ran);
    assert!(!letters.is_empty(), "{} with {agent}: no notice: {ran:?}", cause.what);
    format!("{reaction}{letters}")
}

fn is_stopped(agent: &str, ran: &Ran) -> bool {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let denies = ["deny", "block"];
    let is =
        |pointer: &str| json.pointer(pointer).and_then(Value::as_str).is_some_and(|it| denies.contains(&it));
    is("/hookSpecificOutput/permissionDecision")
        || is("/decision")
        || is("/permissionDecision")
        || is("/permission")
        || json["cancel"] == true
        || json["continue"] == false
        || ran.code == Some(2) && agent != "cline"
}

/// The recipients of the notice, as letters; `T` is the audit trail.
fn notified(world: &World, agent: &str, ran: &Ran) -> String {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let has = |pointers: &[&str]| {
        pointers.iter().any(|pointer| json.pointer(pointer).and_then(Value::as_str).is_some())
    };
    let mut letters = String::new();
    let reasons = [
        "/hookSpecificOutput/permissionDecisionReason",
        "/permissionDecisionReason",
        "/reason",
        "/stopReason",
        "/errorMessage",
        "/agent_message",
        "/agentMessage",
    ];
    if has(&reasons) || ran.code == Some(2) && !ran.stderr.is_empty() && agent != "cline" {
        letters.push_str(" A");
    } else if !ran.stderr.is_empty() {
        letters.push_str(" E");
    }
    if has(&["/systemMessage", "/tell", "/user_message", "/userMessage"]) {
        letters.push_str(" U");
    }
    let trail = world.trail();
    if trail.is_file() && fs::read_to_string(trail).is_ok_and(|text| text.contains("s-last")) {
        letters.push_str(" T");
    }
    letters
}

/// A call of a tool in the last session of a cause, as this agent sends it.
pub(super) fn payload(agent: &str, session: &str, tool: &Tool<'_>) -> String {
    let (shell, write) = match agent {
        "gemini" | "qwen" => ("run_shell_command", "write_file"),
        "cline" => ("run_commands", "write_to_file"),
        "opencode" => ("bash", "write"),
        "cursor" => ("Shell", "Write"),
        _ => ("Bash", "Write"),
    };
    let (name, input) = match tool {
        Tool::Shell(command) if agent == "cline" => (shell, json!({"commands": [command]})),
        Tool::Shell(command) => (shell, json!({"command": command})),
        Tool::Write(path) => {
            (write, json!({"file_path": path, "filePath": path, "path": path, "content": "x"}))
        }
        Tool::Unknown(command) => ("execute_anything", json!({"command": command})),
    };
    if agent == "cline" {
        let call = json!({"id": "t", "name": name, "input": input});
        return json!({"clineVersion": "", "taskId": session, "hookName": "tool_call", "tool_call": call})
            .to_string();
    }
    if agent == "opencode" {
        return json!({"plugin": agent, "hook_event_name": "tool.execute.before", "session_id": session,
            "tool": name, "args": input, "call_id": "t"})
        .to_string();
    }
    if agent == "cursor" {
        return json!({"conversation_id": session, "generation_id": "g", "hook_event_name": "preToolUse",
            "tool_name": name, "tool_input": input, "tool_use_id": "t", "cursor_version": "2.0.0"})
        .to_string();
    }
    let event = if agent == "gemini" { "BeforeTool" } else { "PreToolUse" };
    let mut payload = json!({"session_id": session, "hook_event_name": event, "tool_name": name,
        "tool_input": input, "timestamp": "2026-01-01T00:00:00.000Z"});
    if agent != "copilot" {
        payload["tool_use_id"] = json!("t");
    }
    payload.to_string()
}

/// What the agent wants to do.
pub(super) enum Tool<'a> {
    Shell(&'a str),
    Write(&'a str),
    /// A tool that no adapter knows.
    Unknown(&'a str),
}

/// A call with the folder of the project.
pub(super) fn call(world: &World, agent: &str, session: &str, tool: &Tool<'_>) -> Call {
    world.hook(agent, &with_folder(&payload(agent, session, tool), &world.project()))
}

pub(super) fn with_folder(payload: &str, folder: &Path) -> String {
    let mut payload: Value = serde_json::from_str(payload).unwrap();
    payload["cwd"] = json!(folder);
    payload.to_string()
}
