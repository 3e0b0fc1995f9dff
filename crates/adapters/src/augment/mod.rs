//! Augment's auggie. Read in the program 0.36.0; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, ContextChannel, Event, EventKind, RewriteInput, Support, ToolKind};

use crate::agent_spec::{AgentSpec, ContextField, MESSAGE, NOTHING_EVER, Tools, guarded, watched};
use crate::installer::{Installer, Layout, home, in_project};

pub(crate) static AUGMENT: AgentSpec = AgentSpec {
    name: "augment",
    project_variables: &["AUGMENT_PROJECT_DIR"],
    marks: &["AUGMENT_HOOK_EVENT", "AUGMENT_CONVERSATION_ID"],
    // A failed tool comes at `PostToolUse` too, and is `tool:error`. Without a timeout in the entry auggie waits 60 s.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 60),
        watched("PromptSubmit", EventKind::PromptSubmit, 60),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("Notification", EventKind::UserNotification, 60),
        watched("Stop", EventKind::OrchestratorComplete, 60),
        watched("SessionEnd", EventKind::SessionEnd, 5),
    ],
    tools: &TOOLS,
    recognises,
    capabilities,
    context_field: ContextField::Top,
    installer: Installer {
        title: "Augment",
        program: Some("auggie"),
        user: home("", ".augment", "settings.json"),
        project: in_project(".augment/settings.json"),
        local: in_project(".augment/settings.local.json"),
        format: &Layout { milliseconds: true, ..Layout::CLAUDE },
        becomes_too: &[EventKind::ToolError],
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "launch-process"),
        ("write-process", ToolKind::Shell, "write-process"),
        ("Write", ToolKind::Write, "save-file"),
        ("Edit", ToolKind::Edit, "str-replace-editor"),
        ("Delete", ToolKind::Edit, "remove-files"),
        ("Read", ToolKind::Read, "view read-file"),
        ("Grep", ToolKind::Search, "codebase-retrieval grep-search"),
        ("WebFetch", ToolKind::Fetch, "web-fetch"),
        ("WebSearch", ToolKind::Fetch, "web-search"),
    ],
    keys: &[
        ("save-file", "path=file_path file_content=content"),
        ("str-replace-editor view read-file", "path=file_path"),
        ("remove-files", "file_paths=paths"),
    ],
    patches: &[("apply_patch", "")],
    ..Tools::DOCUMENTED
};

/// It waits for answers around tools only; its schema has more.
fn capabilities(event: &Event) -> Capabilities {
    match event.kind {
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            rewrite_input: match event.tool.as_ref() {
                Some(tool) if !TOOLS.is_plain(&tool.native_name) => RewriteInput::Never,
                Some(_) | None => RewriteInput::Freely,
            },
            ..MESSAGE
        },
        // The reason of a deny is appended to the result, which the model sees too.
        EventKind::ToolPost => {
            Capabilities { block: Support::Yes, context: ContextChannel::UnlessDenied, ..MESSAGE }
        }
        EventKind::ToolError => Capabilities { context: ContextChannel::UnlessDenied, ..MESSAGE },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

/// Names in Pascal case with a `conversation_id`; Cursor's payloads also have its version.
fn recognises(payload: &Map<String, Value>) -> Claim {
    match AUGMENT.possible_event(payload, "cursor_version generation_id timestamp session_id") {
        Some(name) if payload.contains_key("conversation_id") => match AUGMENT.find_event(name) {
            Some(_) => Claim::Mine,
            None => Claim::CannotTell,
        },
        Some(_) | None => Claim::NotMine,
    }
}
