//! Kimi's command line. Read in its source 1.49.0; not measured.

mod install;
mod tables;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, EventKind, StopLoop, Support, ToolKind};

use crate::agent_spec::{AgentSpec, NOTHING_EVER, Tools, guarded, observed, received, watched};
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
        observed("Interrupt", "Interrupt"),
    ],
    tools: &Tools {
        names: &[
            ("Shell", "Bash", ToolKind::Shell),
            ("Bash", "Bash", ToolKind::Shell),
            ("WriteFile", "Write", ToolKind::Write),
            ("StrReplaceFile", "Edit", ToolKind::Edit),
            ("ReadFile", "Read", ToolKind::Read),
            ("Glob", "Glob", ToolKind::Search),
            ("Grep", "Grep", ToolKind::Search),
            ("FetchURL", "WebFetch", ToolKind::Fetch),
            ("SearchWeb", "WebSearch", ToolKind::Fetch),
            ("Task", "Agent", ToolKind::Task),
            ("Agent", "Agent", ToolKind::Task),
            ("SetTodoList", "TodoWrite", ToolKind::Other),
        ],
        keys: &[
            ("WriteFile", "path", "file_path"),
            ("StrReplaceFile", "path", "file_path"),
            ("ReadFile", "path", "file_path"),
        ],
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
    let foreign = [
        "timestamp",
        "transcript_path",
        "tool_use_id",
        "prompt_id",
        "turn_id",
        "conversation_id",
        "permission_mode",
    ];
    let own_keys = ["tool_call_id", "sink", "token_count"];
    match KIMI.possible_event(payload, &foreign) {
        None => Claim::NotMine,
        Some(name)
            if own_keys.iter().any(|key| payload.contains_key(*key))
                && KIMI.find_event(name).is_some_and(|it| it.kind.is_some()) =>
        {
            Claim::Mine
        }
        Some(_) => Claim::CannotTell,
    }
}
