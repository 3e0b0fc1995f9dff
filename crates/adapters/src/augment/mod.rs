//! Augment's auggie. Read in the program 0.36.0; not measured.

mod install;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{
    Abilities, Answer, Carry, ContextChannel, Event, EventKind, Fitted, RewriteInput, ToolKind,
};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope, Mcp, NOTHING_EVER, Tools};

const NAME: &str = "augment";

/// A tool that failed comes at `PostToolUse` too, and is `tool:error`.
const EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("PromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("Stop", EventKind::OrchestratorComplete),
    ("Notification", EventKind::UserNotification),
];

static TOOLS: Tools = Tools {
    names: &[
        ("launch-process", "Bash", ToolKind::Shell),
        ("write-process", "write-process", ToolKind::Shell),
        ("save-file", "Write", ToolKind::Write),
        ("str-replace-editor", "Edit", ToolKind::Edit),
        ("remove-files", "Delete", ToolKind::Edit),
        ("view", "Read", ToolKind::Read),
        ("read-file", "Read", ToolKind::Read),
        ("codebase-retrieval", "Grep", ToolKind::Search),
        ("grep-search", "Grep", ToolKind::Search),
        ("web-fetch", "WebFetch", ToolKind::Fetch),
        ("web-search", "WebSearch", ToolKind::Fetch),
    ],
    keys: &[
        ("save-file", "path", "file_path"),
        ("save-file", "file_content", "content"),
        ("str-replace-editor", "path", "file_path"),
        ("remove-files", "file_paths", "paths"),
        ("view", "path", "file_path"),
        ("read-file", "path", "file_path"),
    ],
    patches: &["apply_patch"],
    lists: &[],
    mcp: Mcp::Claude,
};

/// The adapter of auggie.
pub(crate) static AUGMENT: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        variables: &["AUGMENT_PROJECT_DIR"],
        project_variables: &["AUGMENT_PROJECT_DIR"],
        events: EVENTS,
        tools: &TOOLS,
        ..Dialect::CLAUDE
    },
    marks: &["AUGMENT_HOOK_EVENT", "AUGMENT_CONVERSATION_ID"],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

static ENVELOPE: Envelope = Envelope { tools: &TOOLS, deny: |_| Deny::ExitCode, context: ContextAt::Top };

fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, "hook_event_name")
}

const MESSAGE: Abilities = Abilities { message: Carry::Yes, ..Abilities::NOTHING };

/// What auggie can carry at an event. It waits for answers around tools alone; its schema has more.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            rewrite_input: match event.tool.as_ref() {
                Some(tool) if !TOOLS.is_plain(&tool.native_name) => RewriteInput::Never,
                Some(_) | None => RewriteInput::Freely,
            },
            ..MESSAGE
        },
        // What a deny says is appended to the result, which the model sees too.
        EventKind::ToolPost => {
            Abilities { block: Carry::Yes, context: ContextChannel::UnlessDenied, ..MESSAGE }
        }
        EventKind::ToolError => Abilities { context: ContextChannel::UnlessDenied, ..MESSAGE },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// Names in Pascal case with a `conversation_id`; Cursor's have its version beside it.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let foreign = ["cursor_version", "generation_id", "timestamp", "session_id"];
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    match has("conversation_id") && !name.is_empty() && !foreign.into_iter().any(has) {
        true if its_own => Claim::Mine,
        true if tenter_contract::event_names::find(name).is_none() => Claim::CannotTell,
        true | false => Claim::NotMine,
    }
}
