//! Detection of senders: each recorded payload belongs to its own adapter, or at least to no other.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tenter_adapters::{all, by_name, other_sender};
use tenter_contract::ports::{AgentAdapter, Claim};

use crate::support::recorded;

/// Payloads of agents that have no adapter, by agent.
#[expect(clippy::disallowed_methods, reason = "the crate looks at nothing; its tests look at their fixtures")]
fn strangers() -> Vec<(String, Map<String, Value>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strangers");
    let inside = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<PathBuf>>()
    };
    let mut payloads = Vec::new();
    for agent in inside(folder).into_iter().filter(|path| path.is_dir()) {
        for file in inside(agent) {
            let payload = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            payloads.push((file.display().to_string(), payload));
        }
    }
    payloads
}

fn adapter(name: &str) -> &'static dyn AgentAdapter {
    by_name(name).unwrap()
}

fn sender(named: &str, payload: &Map<String, Value>, set: &[&str]) -> String {
    let other = other_sender(adapter(named), payload, |name| set.contains(&name));
    other.map_or("as named".to_owned(), |other| other.name().to_string())
}

fn payload(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn claims_never_contradict_the_sender() {
    for adapter in all() {
        for other in all() {
            for file in recorded(*other) {
                let claim = adapter.recognises(&file.object());
                let wrong = if adapter.name() == other.name() { Claim::NotMine } else { Claim::Mine };
                assert_ne!(claim, wrong, "{} about {}", adapter.name(), file.name);
            }
        }
        for (file, payload) in strangers() {
            assert_ne!(adapter.recognises(&payload), Claim::Mine, "{} about {file}", adapter.name());
        }
    }
}

#[test]
fn named_agent_keeps_its_payload() {
    let everything: Vec<&str> = all().iter().flat_map(|adapter| adapter.marks()).copied().collect();
    for adapter in all() {
        for file in recorded(*adapter) {
            let other = other_sender(*adapter, &file.object(), |name| everything.contains(&name));
            assert!(other.is_none(), "{} is taken for {:?}", file.name, other.map(AgentAdapter::name));
        }
    }
}

/// A wrong agent name in the command must not disable guards.
#[test]
fn payload_shape_beats_the_command() {
    for (agent, other, call) in [
        ("claude", "gemini", "PreToolUse"),
        ("claude", "codex", "PreToolUse"),
        ("codex", "claude", "PreToolUse"),
        ("codex", "gemini", "PreToolUse"),
        ("gemini", "claude", "BeforeTool"),
        ("gemini", "codex", "BeforeTool"),
        ("qwen", "claude", "PreToolUse"),
        ("qwen", "gemini", "PreToolUse"),
        ("claude", "qwen", "PreToolUse"),
        ("gemini", "qwen", "BeforeTool"),
        ("opencode", "claude", "tool-execute-before"),
        ("opencode", "kilo", "tool-execute-before"),
        ("kilo", "opencode", "tool-execute-before"),
        ("claude", "opencode", "PreToolUse"),
        ("cursor", "claude", "preToolUse"),
        ("cursor", "vscode", "preToolUse"),
        ("vscode", "claude", "PreToolUse"),
        ("vscode", "copilot", "PreToolUse"),
        ("factory", "claude", "PreToolUse"),
        ("augment", "cursor", "PreToolUse"),
        ("crush", "claude", "PreToolUse"),
        ("goose", "crush", "PreToolUse"),
        ("kimi", "qwen", "PreToolUse"),
        ("kiro", "cursor", "preToolUse"),
        ("windsurf", "claude", "pre_run_command"),
        ("antigravity", "gemini", "PreToolUse"),
        ("amp", "claude", "tool-call"),
    ] {
        let calls = recorded(adapter(agent)).into_iter().filter(|file| file.name.contains(call));
        let senders: Vec<String> = calls.map(|file| sender(other, &file.object(), &[])).collect();
        assert!(!senders.is_empty() && senders.iter().all(|sender| sender == agent), "{senders:?}");
    }
}

#[test]
fn environment_counts_last() {
    let of_gemini =
        r#"{"session_id": "s", "hook_event_name": "SessionEnd", "timestamp": "2026-01-01T00:00:00Z"}"#;
    let of_claude = r#"{"session_id": "s", "hook_event_name": "SessionEnd", "transcript_path": "t"}"#;
    let of_both = r#"{"hook_event_name": "UnknownEvent"}"#;
    let inherited = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"];
    for (named, text, set, expected) in [
        ("claude", of_gemini, &["GEMINI_SESSION_ID"][..], "gemini"),
        ("claude", of_gemini, &inherited, "gemini"),
        ("claude", of_gemini, &[], "as named"),
        ("claude", of_gemini, &["CLAUDECODE"], "as named"),
        ("gemini", of_gemini, &inherited, "as named"),
        ("gemini", of_gemini, &["CLAUDECODE"], "as named"),
        ("gemini", of_claude, &["CLAUDECODE"], "claude"),
        ("claude", of_claude, &["GEMINI_SESSION_ID"], "as named"),
        ("gemini", of_both, &["CLAUDECODE"], "as named"),
        ("claude", of_both, &["GEMINI_SESSION_ID"], "as named"),
        // The project's folder is set by nearly every agent, under Claude Code's name.
        ("gemini", of_claude, &["CLAUDE_PROJECT_DIR"], "as named"),
    ] {
        assert_eq!(sender(named, &payload(text), set), expected, "{named} {text} {set:?}");
    }
}

#[test]
fn unknown_agents_stay_with_the_named_one() {
    for (file, payload) in strangers() {
        let sender = sender("claude", &payload, &["COPILOT_CLI", "CLAUDE_PROJECT_DIR"]);
        assert_eq!(sender, "as named", "{file}");
    }
}

/// Copilot CLI runs the hooks of a repository's `.claude/settings.json`, where its payloads look most like Claude
/// Code's payloads.
#[test]
fn copilot_is_detected_behind_claudes_entry() {
    let pascal = recorded(adapter("copilot")).into_iter().filter(|file| file.name.contains(".pascal."));
    let senders: Vec<String> =
        pascal.map(|file| sender("claude", &file.object(), &["COPILOT_CLI", "CLAUDE_PROJECT_DIR"])).collect();
    assert!(senders.len() > 10 && senders.iter().all(|sender| sender == "copilot"), "{senders:?}");
}

/// VS Code runs the hooks of Claude Code's and of Copilot CLI's files. Where nothing in a payload is its own, it is known
/// as the agent that reads them.
#[test]
fn vs_code_is_detected_behind_other_entries() {
    for named in ["claude", "copilot"] {
        for file in recorded(adapter("vscode")) {
            assert_eq!(
                sender(named, &file.object(), &["CLAUDE_PROJECT_DIR"]),
                "vscode",
                "{named}: {}",
                file.name
            );
        }
    }
    for file in recorded(adapter("cursor")) {
        assert_eq!(sender("claude", &file.object(), &["CLAUDECODE"]), "cursor", "{}", file.name);
    }
}
