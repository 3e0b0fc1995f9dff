//! Goose. Read in its source of May 2026; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, EventKind, Support, ToolKind};

use crate::agent_spec::{AgentSpec, McpNames, NOTHING_EVER, Tools, guarded, observed, received, watched};
use crate::installer::{Installer, home, in_project};

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
        observed("BeforeReadFile", None),
        observed("AfterFileEdit", None),
        observed("BeforeShellExecution", None),
        observed("AfterShellExecution", None),
    ],
    event_key: "event",
    tools: &Tools {
        names: &[
            ("Bash", ToolKind::Shell, "developer__shell shell"),
            ("Edit", ToolKind::Edit, "developer__text_editor text_editor"),
        ],
        keys: &[
            (
                "developer__text_editor",
                "path=file_path file_text=content old_str=old_string new_str=new_string",
            ),
            ("text_editor", "path=file_path"),
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
