//! The table *When tenter's surroundings break* in SECURITY.md. Every row is observed: the cause is brought about around
//! the real programs, for one agent of each way to be stopped, and the answer becomes the row.

mod causes;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::{Call, Ran, World};
use causes::{CAUSES, Cause};

/// Agents that differ in how they are stopped and in how their user is notified.
pub(super) const AGENTS: [&str; 8] =
    ["claude", "codex", "gemini", "qwen", "copilot", "cline", "opencode", "cursor"];

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../SECURITY.md");
const BEGIN: &str = "<!-- generated: when surroundings break -->";
const END: &str = "<!-- end of when surroundings break -->";

#[test]
fn security_md_says_what_happens_when_surroundings_break() {
    let mut table = String::from("| cause | what happens | who is notified | agents |\n|---|---|---|---|\n");
    for cause in CAUSES {
        let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
        let agents = if cause.only.is_empty() { &AGENTS[..] } else { cause.only };
        for agent in agents.iter().copied() {
            let row = observe(cause, agent);
            match rows.iter_mut().find(|(known, _)| *known == row) {
                Some((_, agents)) => agents.push(agent),
                None => rows.push((row, vec![agent])),
            }
        }
        for (row, agents) in rows {
            let agents = if agents.len() == AGENTS.len() { "all".to_owned() } else { agents.join(", ") };
            writeln!(table, "| {} | {row} | {agents} |", cause.what).unwrap();
        }
    }
    let text = fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect(BEGIN);
    let (written, after) = rest.split_once(END).expect(END);
    let wanted = format!("\n{}\n", table.trim());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(DOCUMENT, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
    } else {
        assert_eq!(written, wanted, "the table in SECURITY.md is stale; run `just docs`");
    }
}

fn observe(cause: &Cause, agent: &str) -> String {
    let world = World::new();
    let ran = (cause.brings_about)(&world, agent);
    assert!(ran.code.is_some(), "{} with {agent} died of a signal: {ran:?}", cause.what);
    let happens = if is_stopped(agent, &ran) { "**closed**: denied" } else { "open: goes on" };
    assert_eq!(
        is_stopped(agent, &ran),
        !cause.open_in.contains(&agent),
        "{} with {agent}: {ran:?}",
        cause.what
    );
    let told = notified(&world, agent, &ran);
    assert!(!told.is_empty(), "{} with {agent}: nobody is notified: {ran:?}", cause.what);
    format!("{happens} | {}", told.join("; "))
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

fn notified(world: &World, agent: &str, ran: &Ran) -> Vec<&'static str> {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let has = |pointers: &[&str]| {
        pointers.iter().any(|pointer| json.pointer(pointer).and_then(Value::as_str).is_some())
    };
    let mut told = Vec::new();
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
        told.push("the agent, with the reason");
    } else if !ran.stderr.is_empty() {
        told.push("standard error");
    }
    if has(&["/systemMessage", "/tell", "/user_message", "/userMessage"]) {
        told.push("the user");
    }
    let trail = world.trail();
    if trail.is_file() && fs::read_to_string(trail).is_ok_and(|text| text.contains("s-last")) {
        told.push("the trail");
    }
    told
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
