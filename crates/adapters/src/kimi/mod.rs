//! Kimi's command line. Read in its source 1.49.0; not measured.

mod install;
mod tables;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, EventKind, StopLoop, Support, ToolKind};

use crate::agent_spec::{AgentSpec, NOTHING_EVER, Tools, guarded, has_any_key, observed, received, watched};
use crate::installer::{Installer, home};

pub(crate) static KIMI: AgentSpec = AgentSpec {
    name: "kimi",
    // Without a timeout in the entry Kimi waits 30 s.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 60),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 60),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("PostToolUseFailure", EventKind::ToolError, 600),
        watched("SubagentStart", EventKind::SubagentStart, 60),
        watched("SubagentStop", EventKind::SubagentComplete, 60),
        watched("PreCompact", EventKind::ContextPreCompact, 60),
        watched("PostCompact", EventKind::ContextPostCompact, 60),
        watched("Notification", EventKind::UserNotification, 60),
        watched("Stop", EventKind::OrchestratorComplete, 60),
        watched("StopFailure", EventKind::ErrorOrchestrator, 60),
        watched("SessionEnd", EventKind::SessionEnd, 5),
        received("PermissionRequest", EventKind::PermissionRequest),
        observed("Interrupt", None),
    ],
    tools: &Tools {
        names: &[
            ("Bash", ToolKind::Shell, "Shell Bash"),
            ("Write", ToolKind::Write, "WriteFile"),
            ("Edit", ToolKind::Edit, "StrReplaceFile"),
            ("Read", ToolKind::Read, "ReadFile"),
            ("Glob", ToolKind::Search, "Glob"),
            ("Grep", ToolKind::Search, "Grep"),
            ("WebFetch", ToolKind::Fetch, "FetchURL"),
            ("WebSearch", ToolKind::Fetch, "SearchWeb"),
            ("Agent", ToolKind::Task, "Task Agent"),
            ("TodoWrite", ToolKind::Other, "SetTodoList"),
        ],
        keys: &[("WriteFile StrReplaceFile ReadFile", "path=file_path")],
        ..Tools::DOCUMENTED
    },
    recognises,
    // By its documents the output of a hook joins the context; the program keeps it and never uses it.
    capabilities: |event| match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => Capabilities { block: Support::Yes, ..NOTHING_EVER },
        EventKind::OrchestratorComplete => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::EndsAfter(1), ..NOTHING_EVER }
        }
        EventKind::Other(_) => Capabilities::NOTHING,
        _ => NOTHING_EVER,
    },
    installer: Installer {
        title: "Kimi CLI",
        // It reads hooks of the user only.
        user: home("", ".kimi", "config.toml"),
        format: &install::TomlTables,
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

/// Claude Code's names, without a transcript; calls have an id under a key of its own.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let foreign = "timestamp transcript_path tool_use_id prompt_id turn_id conversation_id permission_mode";
    let has_own_key = has_any_key(payload, "tool_call_id sink token_count");
    match KIMI.possible_event(payload, foreign).map(|name| KIMI.find_event(name)) {
        None => Claim::NotMine,
        Some(Some(event)) if has_own_key && event.kind.is_some() => Claim::Mine,
        Some(_) => Claim::CannotTell,
    }
}
