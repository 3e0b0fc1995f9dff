//! The tables of `docs/reference/failure-behaviour.md`. Every cell is observed: the test creates the failure with the
//! real adapter and the real kernel, and writes down the response.

mod causes;
mod entries;
mod unproven;

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Instant;

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, Proof, Surroundings};
use tenter_contract::{
    Answer, Degradation, Effect, Event, EventKind, HookOutput, HookReport, HookSet, HookSpec, Injection,
    Level, Message, RecordBody,
};
use tenter_runtime::kit::{FunctionExecutor, MemoryTrail};
use tenter_runtime::runner::background::Recipient;
use tenter_runtime::{Request, Runtime};

use crate::broken_parts::{Panicking, Silent, Taker, Unusable};
use crate::generated;
use causes::causes;

/// A failure, or an effect that the agent does not support.
struct Cause {
    what: &'static str,
    payload: Payload,
    hook: HookSpec,
    output: HookOutput,
    world: World,
}

/// What the agent sends.
#[derive(Clone, Copy, PartialEq)]
enum Payload {
    Event,
    /// With a result of an unknown shape.
    OddResult,
    Garbage,
}

/// The state of everything around the hook.
#[derive(Clone, Copy, PartialEq)]
enum World {
    Sound,
    NoTrail,
    NoSessions,
    BrokenHookFile,
    /// The file is broken, and its last good version is active.
    StaleHookFile,
    PanickingAdapter,
    /// The same call was answered a moment ago, by another route.
    AnsweredBefore,
    /// Another route is still deciding the same call when the agent's time is up.
    StillJudged,
    /// The hook runs in the background. The user is notified at the next event.
    InBackground,
    /// The background worker cannot be started.
    NoBackground,
    /// The approver never answers.
    SilentApprover,
    /// Open questions cannot be stored.
    NoRegister,
}

const PAGE: &str = "docs/reference/failure-behaviour.md";

#[test]
fn failure_table_of_proven_agents_is_observed() {
    check_table("proven agents", Proof::Measured);
}

/// For agents that were never run with tenter, the test observes tenter's response. What the agent does with it is
/// what its documents say.
#[test]
fn failure_table_of_documented_agents_is_observed() {
    check_table("documented agents", Proof::Documented);
}

/// A row per cause, a column per agent.
fn check_table(name: &str, proof: Proof) {
    let agents: Vec<_> = tenter_adapters::all().iter().filter(|agent| agent.proof() == proof).collect();
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for (column, agent) in agents.iter().enumerate() {
        for cause in causes(**agent) {
            if proof == Proof::Documented && !unproven::sends(**agent, &cause.hook.event) {
                continue;
            }
            let cell = observe(**agent, &cause);
            if !rows.iter().any(|(what, _)| *what == cause.what) {
                rows.push((cause.what, vec!["–".to_owned(); agents.len()]));
            }
            let row = rows.iter_mut().find(|(what, _)| *what == cause.what).unwrap();
            row.1[column] = cell;
        }
    }
    let mut table = String::from("| cause |");
    for agent in &agents {
        write!(table, " {} |", agent.name()).unwrap();
    }
    writeln!(table, "\n|---|{}", "---|".repeat(agents.len())).unwrap();
    for (what, cells) in rows {
        writeln!(table, "| {what} | {} |", cells.join(" | ")).unwrap();
    }
    generated::check(PAGE, name, &table);
}

fn hook_set(cause: &Cause) -> HookSet {
    let error = |world: World, text: &str| {
        let message = Message { text: text.to_owned(), level: Level::Error };
        if cause.world == world { vec![message] } else { Vec::new() }
    };
    HookSet {
        problems: error(World::BrokenHookFile, "error: unknown key"),
        stale_files: error(World::StaleHookFile, "error: the last good version"),
        ..HookSet::new(vec![cause.hook.clone()])
    }
}

/// What the agent does, and who is notified: `open U`.
fn observe(agent: &dyn AgentAdapter, cause: &Cause) -> String {
    let trail = Arc::new(MemoryTrail::default());
    let output = cause.output.clone();
    let (asked, other_route) = (AtomicUsize::new(0), Arc::new(Barrier::new(2)));
    let (world, at_it) = (cause.world, Arc::clone(&other_route));
    let taker = Taker { refuses: cause.world == World::NoBackground, ..Taker::default() };
    let runtime = {
        let mut runtime = Runtime::in_memory();
        runtime.catalog.source = Box::new(hook_set(cause));
        runtime.runner.executors = vec![Box::new(FunctionExecutor(move |_: &HookSpec, _: &Event| {
            if world == World::StillJudged && asked.fetch_add(1, Ordering::SeqCst) == 0 {
                at_it.wait();
                at_it.wait();
            }
            HookReport::new(output.clone())
        }))];
        match cause.world {
            World::SilentApprover => runtime.approvals.approvers.before_host.push(Box::new(Silent)),
            World::NoRegister => {
                runtime.approvals.approvers.before_host.push(Box::new(Silent));
                runtime.approvals.register = Box::new(Unusable);
            }
            World::NoSessions => runtime.sessions.store = Box::new(Unusable),
            _ => {}
        }
        runtime.audit.trail = match cause.world {
            World::NoTrail => Box::new(Unusable),
            _ => Box::new(Arc::clone(&trail)),
        };
        runtime.runner.background = Some(Box::new(taker.clone()));
        runtime.deadline = (cause.world == World::StillJudged).then(Instant::now);
        runtime
    };
    let payload = match cause.payload {
        Payload::Event => payload(agent, &cause.hook.event).to_string(),
        Payload::OddResult => {
            let mut payload = payload(agent, &cause.hook.event);
            payload["tool_response"] = json!({"new": "x"});
            payload.to_string()
        }
        Payload::Garbage => "{ not json".to_owned(),
    };
    if cause.world == World::AnsweredBefore {
        respond(&runtime, agent, &payload);
    }
    let answer = if cause.world == World::StillJudged {
        std::thread::scope(|scope| {
            scope.spawn(|| respond(&runtime, agent, &payload));
            other_route.wait();
            let answer = respond(&runtime, agent, &payload);
            other_route.wait();
            answer
        })
    } else if cause.world == World::PanickingAdapter {
        // The panic is wanted; its message is not.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let answer = respond(&runtime, &Panicking(agent), &payload);
        std::panic::set_hook(hook);
        answer
    } else {
        respond(&runtime, agent, &payload)
    };
    let records = trail.records();
    let mut cell = reaction(agent, &answer, &cause.hook.event).to_owned();
    if let Some(context) = context(&answer, &records, cause) {
        write!(cell, ", {context}").unwrap();
    }
    if cause.world == World::InBackground {
        let job = taker.taken.lock().unwrap().pop().unwrap();
        runtime.finish_job(&job, &runtime.run_job(&job), Recipient::NextEvent);
        let next = match agent.proof() {
            Proof::Measured => EventKind::PromptSubmit,
            // Not all of them report prompts.
            Proof::Documented => EventKind::ToolPre,
        };
        let next = self::payload(agent, &next).to_string();
        let answer = respond(&runtime, agent, &next);
        return format!("{cell} later{}", notified(&answer, &trail.records(), cause));
    }
    cell + &notified(&answer, &records, cause)
}

/// What the model gets of the text that a hook injects, if there is any.
fn context(answer: &Answer, records: &[RecordBody], cause: &Cause) -> Option<&'static str> {
    let degraded = records.iter().flat_map(|record| match record {
        RecordBody::Event(record) => record.outcome.degraded.clone(),
        _ => Vec::new(),
    });
    let status = |degraded: Degradation| match degraded {
        Degradation::Spilled { .. } => Some("spilled"),
        Degradation::Deferred { .. } => Some("deferred"),
        Degradation::NoContextChannel { .. } => Some("lost"),
        Degradation::InjectionTooLarge { .. } => Some("rejected"),
        Degradation::ContextCut { .. } | Degradation::Truncated { path: None, .. } => Some("cut"),
        _ => None,
    };
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let keys = ["additionalContext", "additional_context", "context", "contextModification"];
    let plain = str::from_utf8(&answer.stdout).ok().filter(|text| !text.is_empty() && json.is_null());
    let arrived = json["hookSpecificOutput"]["additionalContext"].as_str();
    let arrived = arrived.or_else(|| keys.iter().find_map(|key| json[key].as_str())).or(plain);
    let arrived = arrived.map(|arrived| {
        let whole = |text: &&str| arrived.contains(*text);
        if texts(cause).iter().all(whole) { "complete" } else { "**incomplete**" }
    });
    degraded.into_iter().find_map(status).or(arrived)
}

/// What the hook wants to inject.
fn texts(cause: &Cause) -> Vec<&str> {
    let HookOutput::Reply(reply) = &cause.output else { return Vec::new() };
    let text = |effect| match effect {
        &Effect::Inject(Injection { ref content, .. }) => Some(content.as_str()),
        _ => None,
    };
    reply.effects.iter().filter_map(text).collect()
}

/// A payload of this agent, whatever it calls things.
fn payload(agent: &dyn AgentAdapter, kind: &EventKind) -> Value {
    let after = *kind == EventKind::ToolPost;
    match agent.name().as_str() {
        "claude" if after => json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Read",
            "tool_input": {"file_path": "a"}, "tool_response": {"type": "text", "file": {"filePath": "a",
            "content": "x", "numLines": 1, "startLine": 1, "totalLines": 1}}, "tool_use_id": "t"}),
        "claude" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "startup", "tool_name": "Bash", "tool_input": {"command": "ls", "description": "lists"},
            "tool_use_id": "t"}),
        "cline" => {
            let (name, key, payload) = match kind {
                EventKind::ToolPre => (
                    "tool_call",
                    "tool_call",
                    json!({"id": "t", "name": "run_commands",
                    "input": {"commands": ["ls"], "description": "lists"}}),
                ),
                EventKind::ToolPost => (
                    "tool_result",
                    "tool_result",
                    json!({"id": "t", "name": "run_commands",
                    "input": {"commands": ["ls"]}, "output": [{"query": "ls", "result": "a", "success": true}]}),
                ),
                EventKind::PromptSubmit => ("prompt_submit", "userPromptSubmit", json!({"prompt": "p"})),
                other => (other.claude_name(), "turn", json!({})),
            };
            let name = match kind {
                EventKind::SessionStart => "agent_start",
                EventKind::SessionEnd => "session_shutdown",
                EventKind::OrchestratorComplete => "agent_end",
                _ => name,
            };
            json!({"clineVersion": "", "taskId": "s", "hookName": name, key: payload})
        }
        "codex" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "startup", "model": "m", "turn_id": "u", "tool_name": "Bash",
            "tool_input": {"command": "ls", "description": "lists"}, "tool_response": "a", "tool_use_id": "t"}),
        "copilot" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "new", "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "Bash",
            "tool_input": {"command": "ls", "description": "lists"},
            "tool_result": {"result_type": "success", "text_result_for_llm": "a"}}),
        "gemini" => {
            let name = match kind {
                EventKind::ToolPre => "BeforeTool",
                EventKind::ToolPost => "AfterTool",
                EventKind::PromptSubmit => "BeforeAgent",
                other => other.claude_name(),
            };
            json!({"session_id": "s", "hook_event_name": name, "prompt": "p", "source": "startup",
                "tool_name": "run_shell_command", "tool_input": {"command": "ls", "description": "lists"},
                "tool_response": {"llmContent": "Output: a", "returnDisplay": "a"}})
        }
        "qwen" => json!({"session_id": "s", "hook_event_name": kind.claude_name(), "prompt": "p",
            "source": "startup", "tool_name": "run_shell_command",
            "tool_input": {"command": "ls", "description": "lists"}, "tool_use_id": "t",
            "tool_response": {"llmContent": "Command: ls", "returnDisplay": "a"}}),
        plugin @ ("kilo" | "opencode") => {
            let name = match kind {
                EventKind::ToolPre => "tool.execute.before",
                EventKind::ToolPost => "tool.execute.after",
                EventKind::PromptSubmit => "chat.message",
                EventKind::SessionStart => "session.created",
                EventKind::SessionEnd => "session.deleted",
                EventKind::OrchestratorComplete => "session.idle",
                other => panic!("no payload of the plugin for {other} is known here"),
            };
            json!({"plugin": plugin, "hook_event_name": name, "session_id": "s", "prompt": "p",
                "source": "startup", "tool": "bash", "call_id": "t", "output": "a",
                "args": {"command": "ls", "description": "lists"}})
        }
        _ => unproven::payload(agent, kind),
    }
}

/// What this agent does with the answer.
fn reaction(agent: &dyn AgentAdapter, answer: &Answer, kind: &EventKind) -> &'static str {
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let specific = &json["hookSpecificOutput"];
    let (denies, asks, rewrites, withholds) = match agent.name().as_str() {
        "claude" => (
            specific["permissionDecision"] == "deny" || json["decision"] == "block",
            specific["permissionDecision"] == "ask",
            specific["updatedInput"].is_object(),
            specific["updatedToolOutput"].is_object(),
        ),
        "codex" => (
            specific["permissionDecision"] == "deny" || json["decision"] == "block",
            specific["permissionDecision"] == "ask",
            specific["updatedInput"].is_object(),
            true,
        ),
        "copilot" => (
            match kind {
                EventKind::ToolPre => {
                    json["permissionDecision"] == "deny" || specific["permissionDecision"] == "deny"
                }
                EventKind::PermissionRequest => json["behavior"] == "deny",
                _ => json["decision"] == "block",
            },
            json["permissionDecision"] == "ask",
            json["modifiedArgs"].is_object(),
            true,
        ),
        "gemini" => {
            (json["decision"] == "deny", json["decision"] == "ask", specific["tool_input"].is_object(), true)
        }
        "cline" => (json["cancel"] == true, false, json["overrideInput"].is_object(), true),
        "kilo" | "opencode" => (
            json["decision"] == "deny" || json["decision"] == "continue",
            false,
            json["args"].is_object(),
            true,
        ),
        // It takes no rewritten input where tools are about to run, and no question anywhere.
        "qwen" => (json["continue"] == false || json["decision"] == "block", false, false, true),
        _ => unproven::taken(&json),
    };
    // Cline reads no exit code, and Copilot CLI lets a prompt past any; both read the answer beside it.
    let reads_exit_code = match agent.name().as_str() {
        "cline" => false,
        "copilot" => *kind == EventKind::ToolPre,
        _ => true,
    };
    let denies = denies || (reads_exit_code && answer.exit_code == 2);
    // It has no other way to stop anything, and tells neither the model nor, headless, the user why.
    if denies && agent.name().as_str() == "cline" {
        return "run ends";
    }
    match (denies, *kind == EventKind::ToolPost) {
        (true, true) if withholds => "withheld",
        (true, true) => "visible",
        (true, false) => "denied",
        (false, _) if asks => "asks",
        (false, _) if rewrites => "rewritten",
        (false, _) => "open",
    }
}

/// Who is notified, as letters. Every failure must be in the trail, unless the trail is what fails.
fn notified(answer: &Answer, records: &[RecordBody], cause: &Cause) -> String {
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let mut letters = String::new();
    if json["hookSpecificOutput"]["permissionDecisionReason"].is_string()
        || json["permissionDecisionReason"].is_string()
        || json["reason"].is_string()
        || json["stopReason"].is_string()
        || ["user_message", "deny"].iter().any(|key| json[key].is_string())
        || answer.exit_code == 2
    {
        letters.push_str(" A");
    } else if json["errorMessage"].is_string() {
        letters.push_str(" L");
    } else if !answer.stderr.is_empty() {
        letters.push_str(" E");
    }
    if json["systemMessage"].is_string() || json["tell"].is_string() {
        letters.push_str(" U");
    }
    assert!(!records.is_empty() || cause.world == World::NoTrail, "{}: no record", cause.what);
    if matches!(cause.output, HookOutput::Failure(_)) {
        let recorded = records.iter().any(|record| matches!(record, RecordBody::Failure { .. }));
        assert!(recorded, "{}: no `hook:failed` record", cause.what);
    }
    letters
}

fn respond(runtime: &Runtime, agent: &dyn AgentAdapter, payload: &str) -> Answer {
    let payload = payload.as_bytes();
    runtime.answer_safely(agent, payload, || Request::decode(agent, payload, &Surroundings::default()))
}
