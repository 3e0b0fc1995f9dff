//! Goose. Read in its source of May 2026; not measured.

mod install;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, Answer, Carry, Event, EventKind, Fitted, ToolKind};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope, Mcp, NOTHING_EVER, Tools};

const NAME: &str = "goose";

const EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PostToolUseFailure", EventKind::ToolError),
    ("Stop", EventKind::OrchestratorComplete),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentComplete),
];

/// By kind of action. They repeat the general ones, and nothing can be denied there.
const OWN: &[&str] = &["BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"];

static TOOLS: Tools = Tools {
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
    patches: &[],
    lists: &[],
    mcp: Mcp::Parts,
};

/// The adapter of Goose.
pub(crate) static GOOSE: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        event_key: "event",
        events: EVENTS,
        own: OWN,
        tools: &TOOLS,
        ..Dialect::CLAUDE
    },
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
    ENVELOPE.encode(fitted, "event")
}

/// What Goose can carry at an event: a deny before a tool, and nothing else.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::ToolPre => Abilities { block: Carry::Yes, ..NOTHING_EVER },
        EventKind::Other(_) => Abilities::NOTHING,
        _ => NOTHING_EVER,
    }
}

/// The event stands in `event`, as with Crush, which calls its folder otherwise.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    match (has("event"), has("cwd") || has("hook_event_name")) {
        (false, _) | (true, true) => Claim::NotMine,
        (true, false) if has("working_dir") || has("matcher_context") => Claim::Mine,
        (true, false) => Claim::CannotTell,
    }
}
