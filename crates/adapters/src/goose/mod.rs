//! Goose. Read in its source of May 2026; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, EventKind, Support, ToolKind};

use crate::agent_spec::{AgentSpec, McpNames, NOTHING_EVER, Tools, guarded, observed, received, watched};
use crate::installer::{Installer, Layout, home, in_project, strict_json_warning};

pub(crate) static GOOSE: AgentSpec = AgentSpec {
    name: "goose",
    // The events around sub-agents are never sent. The observed ones repeat the general ones by kind of action, and
    // cannot be denied. Without a timeout in the entry Goose waits 30 s.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 60),
        watched("UserPromptSubmit", EventKind::PromptSubmit, 60),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("PostToolUseFailure", EventKind::ToolError, 600),
        watched("Stop", EventKind::OrchestratorComplete, 60),
        watched("SessionEnd", EventKind::SessionEnd, 5),
        received("SubagentStart", EventKind::SubagentStart),
        received("SubagentStop", EventKind::SubagentComplete),
        observed("BeforeReadFile", "BeforeReadFile"),
        observed("AfterFileEdit", "AfterFileEdit"),
        observed("BeforeShellExecution", "BeforeShellExecution"),
        observed("AfterShellExecution", "AfterShellExecution"),
    ],
    event_key: "event",
    tools: &Tools {
        names: &[
            ("developer__shell", "Bash", ToolKind::Shell),
            ("developer__text_editor", "Edit", ToolKind::Edit),
            ("shell", "Bash", ToolKind::Shell),
            ("text_editor", "Edit", ToolKind::Edit),
        ],
        keys: &[
            ("developer__text_editor", "path", "file_path"),
            ("developer__text_editor", "file_text", "content"),
            ("developer__text_editor", "old_str", "old_string"),
            ("developer__text_editor", "new_str", "new_string"),
            ("text_editor", "path", "file_path"),
        ],
        mcp: McpNames::Parts,
        ..Tools::DOCUMENTED
    },
    recognises,
    // A deny before a tool, and nothing else.
    capabilities: |event| match event.kind {
        EventKind::ToolPre => Capabilities { block: Support::Yes, ..NOTHING_EVER },
        EventKind::Other(_) => Capabilities::NOTHING,
        _ => NOTHING_EVER,
    },
    installer: Installer {
        title: "Goose",
        program: Some("goose"),
        user: home("", ".agents/plugins/tenter", "hooks/hooks.json"),
        project: in_project(".agents/plugins/tenter/hooks/hooks.json"),
        format: &Layout {
            warnings: |text, _| strict_json_warning("Goose", text).into_iter().collect(),
            ..Layout::CLAUDE
        },
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

/// The event has the key `event`, as with Crush, which has another key for its folder.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    match (has("event"), has("cwd") || has("hook_event_name")) {
        (false, _) | (true, true) => Claim::NotMine,
        (true, false) if has("working_dir") || has("matcher_context") => Claim::Mine,
        (true, false) => Claim::CannotTell,
    }
}
