//! Crush. Read in its source of August 2026; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{
    AgentOutcome, AgentVerdict, Answer, Capabilities, ContextChannel, EventKind, RewriteInput, Support,
    ToolKind,
};

use crate::agent_spec::{AgentSpec, McpNames, NOTHING_EVER, Tools, guarded};
use crate::answer::{JsonObject, non_blank};
use crate::installer::{Installer, Layout, home, in_project};

pub(crate) static CRUSH: AgentSpec = AgentSpec {
    name: "crush",
    project_variables: &["CRUSH_PROJECT_DIR"],
    marks: &["CRUSH", "CRUSH_EVENT"],
    // Its only event, and not for sub-agents. Without a timeout in the entry Crush waits 30 s.
    events: &[guarded("PreToolUse", EventKind::ToolPre, 600)],
    event_key: "event",
    tools: &Tools {
        names: &[
            ("Bash", ToolKind::Shell, "bash"),
            ("Write", ToolKind::Write, "write"),
            ("Edit", ToolKind::Edit, "edit"),
            ("MultiEdit", ToolKind::Edit, "multiedit"),
            ("Read", ToolKind::Read, "view"),
            ("LS", ToolKind::Search, "ls"),
            ("Glob", ToolKind::Search, "glob"),
            ("Grep", ToolKind::Search, "grep"),
            ("WebFetch", ToolKind::Fetch, "fetch agentic_fetch"),
            ("download", ToolKind::Fetch, "download"),
            ("Agent", ToolKind::Task, "agent"),
            ("TodoWrite", ToolKind::Other, "todos"),
        ],
        mcp: McpNames::Underscores,
        ..Tools::DOCUMENTED
    },
    recognises,
    // A new input is merged over the original, key by key.
    capabilities: |event| match event.kind {
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            stop: Support::Yes,
            allow: Support::Yes,
            rewrite_input: RewriteInput::MergedOver,
            context: ContextChannel::UnlessDenied,
            ..Capabilities::NOTHING
        },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    },
    encode,
    installer: Installer {
        title: "Crush",
        program: Some("crush"),
        user: home("XDG_CONFIG_HOME", ".config", "crush/crush.json"),
        project: in_project("crush.json"),
        format: &Layout::FLAT,
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let parts = adapted.parts();
    let (decision, reason) = match &parts.verdict {
        AgentVerdict::Deny { reason } => (Some("deny"), Some(reason.as_str())),
        AgentVerdict::Allow { reason } => (Some("allow"), reason.as_deref()),
        // No question is supported.
        AgentVerdict::Silent | AgentVerdict::Ask { .. } => (None, None),
    };
    let mut answer = JsonObject::new();
    answer.put("decision", decision);
    answer.put("reason", reason);
    answer.put("halt", parts.stop.as_ref().map(|_| true));
    answer.put("context", non_blank(parts.context.as_ref()));
    answer.put("updated_input", parts.input.as_ref());
    answer.into_answer()
}

/// The event has the key `event`, as with Goose, which has another key for its folder.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let its_own = payload.get("event").and_then(Value::as_str) == Some("PreToolUse");
    match (has("event"), has("working_dir") || has("matcher_context") || has("hook_event_name")) {
        (false, _) | (true, true) => Claim::NotMine,
        (true, false) if its_own && has("cwd") => Claim::Mine,
        (true, false) => Claim::CannotTell,
    }
}
