//! Kimi's command line. Read in its source 1.49.0; not measured.

mod install;
mod tables;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, Answer, Carry, Event, EventKind, Fitted, StopLoop, ToolKind};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope, Mcp, NOTHING_EVER, Tools};

const NAME: &str = "kimi";

const EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PostToolUseFailure", EventKind::ToolError),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("Stop", EventKind::OrchestratorComplete),
    ("StopFailure", EventKind::ErrorOrchestrator),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentComplete),
    ("PreCompact", EventKind::ContextPreCompact),
    ("PostCompact", EventKind::ContextPostCompact),
    ("Notification", EventKind::UserNotification),
];

static TOOLS: Tools = Tools {
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
    patches: &[],
    lists: &[],
    mcp: Mcp::Claude,
};

/// The adapter of Kimi.
pub(crate) static KIMI: Documented = Documented {
    dialect: Dialect { name: NAME, events: EVENTS, own: &["Interrupt"], tools: &TOOLS, ..Dialect::CLAUDE },
    marks: &[],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

static ENVELOPE: Envelope = Envelope { tools: &TOOLS, deny: |_| Deny::ExitCode, context: ContextAt::Inside };

fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, "hook_event_name")
}

/// What Kimi can carry at an event. Its documents promise that what a hook prints joins the context; the program keeps
/// it and never uses it.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => Abilities { block: Carry::Yes, ..NOTHING_EVER },
        EventKind::OrchestratorComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::EndsAfter(1), ..NOTHING_EVER }
        }
        EventKind::Other(_) => Abilities::NOTHING,
        _ => NOTHING_EVER,
    }
}

/// Claude Code's names, without a transcript; calls have an id under a key of its own.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = [
        "timestamp",
        "transcript_path",
        "tool_use_id",
        "prompt_id",
        "turn_id",
        "conversation_id",
        "permission_mode",
    ];
    let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    let known = tenter_contract::event_names::find(name).is_some();
    if name.is_empty() || foreign.into_iter().any(has) || (known && !its_own) {
        return Claim::NotMine;
    }
    if its_own && ["tool_call_id", "sink", "token_count"].into_iter().any(has) {
        Claim::Mine
    } else {
        Claim::CannotTell
    }
}
