//! Amp, by a plugin that tenter writes: it has no hooks that are commands. Read in its documents; not measured.
//!
//! What the plugin sends and takes is our own: `plugin.ts` speaks to Amp, this folder to the plugin.

mod install;

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, Answer, Carry, Event, EventKind, Fitted, FittedVerdict, ToolKind};

use crate::answer::{self, never_blank, said};
use crate::documented::{Dialect, Documented, Mcp, NOTHING_EVER, Tools};

const NAME: &str = "amp";

const EVENT_KEY: &str = "amp_event";

/// By the names that the plugin gives them. Amp calls the start of a turn `agent.start`, which elsewhere is the start of
/// a session.
const EVENTS: &[(&str, EventKind)] = &[
    ("session.start", EventKind::SessionStart),
    ("prompt.submit", EventKind::PromptSubmit),
    ("agent.end", EventKind::OrchestratorComplete),
    ("tool.call", EventKind::ToolPre),
    ("tool.result", EventKind::ToolPost),
];

static TOOLS: Tools = Tools {
    names: &[
        ("Bash", "Bash", ToolKind::Shell),
        ("create_file", "Write", ToolKind::Write),
        ("edit_file", "Edit", ToolKind::Edit),
        ("undo_edit", "undo_edit", ToolKind::Edit),
        ("Read", "Read", ToolKind::Read),
        ("Grep", "Grep", ToolKind::Search),
        ("glob", "Glob", ToolKind::Search),
        ("finder", "finder", ToolKind::Search),
        ("read_web_page", "WebFetch", ToolKind::Fetch),
        ("web_search", "WebSearch", ToolKind::Fetch),
        ("Task", "Agent", ToolKind::Task),
        ("todo_write", "TodoWrite", ToolKind::Other),
    ],
    keys: &[
        ("Bash", "cmd", "command"),
        ("create_file", "path", "file_path"),
        ("edit_file", "path", "file_path"),
        ("edit_file", "old_str", "old_string"),
        ("edit_file", "new_str", "new_string"),
        ("undo_edit", "path", "file_path"),
        ("Read", "path", "file_path"),
    ],
    patches: &["apply_patch"],
    lists: &[],
    mcp: Mcp::Claude,
};

/// The adapter of Amp.
pub(crate) static AMP: Documented = Documented {
    dialect: Dialect { name: NAME, event_key: EVENT_KEY, events: EVENTS, tools: &TOOLS, ..Dialect::CLAUDE },
    marks: &[],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

/// What our plugin sends, and nobody else.
fn recognises(payload: &Map<String, Value>) -> Claim {
    if payload.get(EVENT_KEY).is_some_and(Value::is_string) { Claim::Mine } else { Claim::NotMine }
}

/// What can be carried at an event: Amp's documents say how a call is refused and how its user is told something. That
/// more can be done is said there too, but not in which form.
fn abilities(event: &Event) -> Abilities {
    let told = Abilities { message: Carry::Yes, ..NOTHING_EVER };
    match event.kind {
        EventKind::ToolPre => Abilities { block: Carry::Yes, ..told },
        EventKind::SessionStart
        | EventKind::PromptSubmit
        | EventKind::ToolPost
        | EventKind::OrchestratorComplete => told,
        EventKind::Other(_) => Abilities::NOTHING,
        _ => NOTHING_EVER,
    }
}

/// An answer to the plugin.
#[derive(Debug, Default, PartialEq, Serialize)]
struct AnswerWire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    deny: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tell: Option<&'a str>,
}

fn encode(fitted: &Fitted) -> Answer {
    let parts = fitted.parts();
    let deny = match &parts.verdict {
        FittedVerdict::Deny { reason } => Some(never_blank(reason)),
        // Nothing else fits.
        FittedVerdict::Silent | FittedVerdict::Allow { .. } | FittedVerdict::Ask { .. } => None,
    };
    let answer = AnswerWire { deny, tell: said(parts.message.as_ref()) };
    if answer == AnswerWire::default() { Answer::default() } else { answer::json(&answer) }
}
