//! Documented agents: the events of written payloads, and the exact answers.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tenter_adapters::{all, by_name};
use tenter_contract::ports::{AgentAdapter, Proof, Surroundings};
use tenter_contract::{AgentOutcome, AgentOutcomeParts, AgentVerdict, Event};

use crate::support::{agent, event, recorded};

fn documented() -> impl Iterator<Item = &'static dyn AgentAdapter> {
    all().iter().copied().filter(|adapter| adapter.proof() == Proof::Documented)
}

/// The event without its payload and without absent fields.
fn shown(mut event: Event) -> String {
    event.raw = Value::Null;
    let all = format!("{event:#?}");
    let absent =
        |line: &&str| [": None,", ": [],", ": {},", "raw: Null,"].iter().all(|end| !line.ends_with(end));
    all.lines().filter(absent).collect::<Vec<_>>().join("\n")
}

#[test]
fn payloads_become_events() {
    for adapter in documented() {
        let mut all = String::new();
        for file in recorded(adapter) {
            writeln!(all, "# {}\n{}\n", file.name, shown(event(adapter, &file.name, &file.payload))).unwrap();
        }
        insta::assert_snapshot!(format!("events_{}", adapter.name()), all);
    }
}

/// The parts of an answer, alone and combined.
fn cases(event: &Event) -> Vec<(&'static str, AgentOutcomeParts)> {
    let nothing = AgentOutcomeParts::default;
    let deny = || AgentVerdict::Deny { reason: "Operation denied by guard: \"no\"\nnever".to_owned() };
    let allow = || AgentVerdict::Allow { reason: Some("known".to_owned()) };
    let ask = || AgentVerdict::Ask { prompt: "Deploy?".to_owned() };
    let context = || Some("Line 42 is too long".to_owned());
    let message = || Some("1 problem found".to_owned());
    let less = || Map::from_iter([("command".to_owned(), json!("echo safe"))]);
    let input = || {
        let mut input = event.tool.as_ref().map(|tool| tool.input.clone()).unwrap_or_default();
        input.extend(less());
        Some(input)
    };
    vec![
        ("silent", nothing()),
        ("deny", AgentOutcomeParts { verdict: deny(), ..nothing() }),
        ("deny, message", AgentOutcomeParts { verdict: deny(), message: message(), ..nothing() }),
        ("deny, context", AgentOutcomeParts { verdict: deny(), context: context(), ..nothing() }),
        ("ask", AgentOutcomeParts { verdict: ask(), ..nothing() }),
        ("allow", AgentOutcomeParts { verdict: allow(), ..nothing() }),
        ("input", AgentOutcomeParts { input: input(), ..nothing() }),
        ("less input", AgentOutcomeParts { input: Some(less()), ..nothing() }),
        ("allow, input", AgentOutcomeParts { verdict: allow(), input: input(), ..nothing() }),
        ("output", AgentOutcomeParts { output: Some(json!("clean")), ..nothing() }),
        ("prompt", AgentOutcomeParts { prompt: Some("Fix it.".to_owned()), ..nothing() }),
        ("context", AgentOutcomeParts { context: context(), ..nothing() }),
        ("message", AgentOutcomeParts { message: message(), ..nothing() }),
        ("context, message", AgentOutcomeParts { context: context(), message: message(), ..nothing() }),
    ]
}

#[test]
fn answers_are_exact() {
    for adapter in documented() {
        let mut all = String::new();
        for file in recorded(adapter) {
            let event = Arc::new(event(adapter, &file.name, &file.payload));
            let capabilities = adapter.capabilities(&event);
            writeln!(all, "# {}", file.name).unwrap();
            let mut cannot = Vec::new();
            for (name, parts) in cases(&event) {
                let Ok(adapted) = AgentOutcome::new(Arc::clone(&event), parts, &capabilities) else {
                    cannot.push(name);
                    continue;
                };
                let answer = adapter.encode(&adapted);
                let (out, stderr) =
                    (String::from_utf8_lossy(&answer.stdout), String::from_utf8_lossy(&answer.stderr));
                let line = match (answer.exit_code, out.trim_end(), stderr.trim_end()) {
                    (0, "", "") => "(nothing)".to_owned(),
                    (0, out, "") => out.to_owned(),
                    (code, "", stderr) => format!("(exit code {code}) {stderr}"),
                    (code, out, stderr) => panic!("{code} {out} {stderr}"),
                };
                writeln!(all, "{name}: {line}").unwrap();
            }
            writeln!(all, "cannot carry: {}\n", cannot.join("; ")).unwrap();
        }
        insta::assert_snapshot!(format!("answers_{}", adapter.name()), all);
    }
}

/// Only documented agents have the label "not proven".
#[test]
fn documented_agents_are_labelled() {
    for name in ["claude", "codex", "copilot", "gemini", "qwen"] {
        assert_eq!(by_name(name).map(|adapter| adapter.proof().label()), Some(""), "{name}");
    }
    for adapter in documented() {
        assert_eq!(adapter.proof().label(), " (not proven)", "{}", adapter.name());
    }
    assert!(documented().count() >= 13);
}

/// Security case P4: a call without a name is refused in every format.
#[test]
fn unnamed_call_is_refused() {
    for (name, payload) in [
        ("cursor", json!({"hook_event_name": "preToolUse"})),
        ("cursor", json!({"hook_event_name": "beforeMCPExecution", "tool_input": "{}"})),
        ("vscode", json!({"hook_event_name": "PreToolUse", "tool_name": 7})),
        ("kiro", json!({"hook_event_name": "preToolUse", "tool_name": ""})),
        ("amazonq", json!({"hook_event_name": "preToolUse"})),
        ("factory", json!({"hook_event_name": "PreToolUse"})),
        ("augment", json!({"hook_event_name": "PreToolUse"})),
        ("crush", json!({"event": "PreToolUse"})),
        ("goose", json!({"event": "PreToolUse"})),
        ("kimi", json!({"hook_event_name": "PreToolUse"})),
        ("windsurf", json!({"agent_action_name": "pre_mcp_tool_use", "tool_info": {}})),
        ("devin", json!({"hook_event_name": "PermissionRequest"})),
        ("antigravity", json!({"hook_event_name": "PreToolUse", "toolCall": {"args": {}}})),
        ("amp", json!({"amp_event": "tool.call"})),
    ] {
        let decoded = by_name(name).unwrap().decode(payload.to_string().as_bytes(), &Surroundings::default());
        assert!(decoded.is_err(), "{name}: {payload}");
    }
}

/// Events of another agent are refused, because no guard would match.
#[test]
fn names_of_other_agents_are_refused() {
    for (name, other) in [
        ("cursor", "BeforeTool"),
        ("vscode", "preToolUse"),
        ("kiro", "BeforeTool"),
        ("factory", "PostToolUseFailure"),
        ("crush", "PostToolUse"),
        ("goose", "BeforeTool"),
        ("kimi", "preToolUse"),
        ("windsurf", "PreToolUse"),
        ("antigravity", "SessionStart"),
        ("amp", "PreToolUse"),
    ] {
        let adapter = by_name(name).unwrap();
        let payload = json!({agent(adapter).event_key: other, "tool_name": "x"}).to_string();
        let decoded = adapter.decode(payload.as_bytes(), &Surroundings::default());
        assert!(decoded.is_err(), "{name}: {other}");
    }
}

/// Antigravity's payloads name no event, so its entries do.
#[test]
fn entry_variable_names_the_event() {
    let payload =
        json!({"conversationId": "c", "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}});
    let antigravity = by_name("antigravity").unwrap();
    assert_eq!(antigravity.environment(), ["TENTER_EVENT"]);
    for (named, kind) in [("PostToolUse", "tool:post"), ("PreToolUse", "tool:pre")] {
        let environment = vec![("TENTER_EVENT".to_owned(), named.to_owned())];
        let surroundings = Surroundings { environment, ..Surroundings::default() };
        let decoded = antigravity.decode(payload.to_string().as_bytes(), &surroundings).unwrap();
        let tenter_contract::ports::Decoded::Event(event) = decoded else { panic!("it is an event") };
        assert_eq!(event.kind.as_str(), kind);
    }
}
