//! Devin's command line. Read in its documents; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::{Claim, Reading, ReadsToo, Scope};
use tenter_contract::{AgentName, Capabilities, Event, EventKind, StopLoop, Support, ToolKind};

use crate::agent_spec::{AgentSpec, DenyForm, NOTHING_EVER, Tools, guarded, watched};
use crate::installer::{Installer, Layout, in_project};

pub(crate) static DEVIN: AgentSpec = AgentSpec {
    name: "devin",
    events: &[
        watched("SessionStart", EventKind::SessionStart, 60),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 60),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PermissionRequest", EventKind::PermissionRequest, 60),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("PostCompaction", EventKind::ContextPostCompact, 60),
        watched("Stop", EventKind::OrchestratorComplete, 60),
        watched("SessionEnd", EventKind::SessionEnd, 5),
    ],
    tools: &Tools {
        names: &[
            ("Bash", ToolKind::Shell, "exec"),
            ("Write", ToolKind::Write, "write"),
            ("Edit", ToolKind::Edit, "edit"),
            ("Read", ToolKind::Read, "read"),
            ("Grep", ToolKind::Search, "grep"),
            ("Glob", ToolKind::Search, "glob"),
        ],
        ..Tools::DOCUMENTED
    },
    recognises,
    capabilities,
    deny_form: |kind| match kind {
        EventKind::OrchestratorComplete => DenyForm::Block,
        _ => DenyForm::ExitCode,
    },
    installer: Installer {
        title: "Devin CLI",
        program: Some("devin"),
        project: in_project(".devin/hooks.v1.json"),
        // The map of the events is the whole file.
        format: &Layout { root: None, ..Layout::CLAUDE },
        // It takes hooks of Claude Code's settings for its own, and nothing in its payloads shows that.
        reads_too: &[ReadsToo {
            agent: AgentName::from_static("claude"),
            scopes: &Scope::ALL,
            reading: Reading::InDisguise,
        }],
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

/// Only denies are documented clearly enough.
fn capabilities(event: &Event) -> Capabilities {
    let again = event.raw.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
    match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => Capabilities { block: Support::Yes, ..NOTHING_EVER },
        EventKind::OrchestratorComplete => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::NeverEnds { again }, ..NOTHING_EVER }
        }
        EventKind::Other(_) => Capabilities::NOTHING,
        _ => NOTHING_EVER,
    }
}

/// Claude Code's form without a mark of its own, so nothing is certain.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let foreign = "timestamp prompt_id turn_id conversation_id tool_call_id sessionId permission_mode";
    match DEVIN.possible_event(payload, foreign) {
        Some(_) => Claim::CannotTell,
        None => Claim::NotMine,
    }
}
