//! Crush. Read in its source of August 2026; not measured.

mod install;

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{
    Abilities, Answer, Carry, ContextChannel, Event, EventKind, Fitted, FittedVerdict, RewriteInput, ToolKind,
};

use crate::answer::{self, said};
use crate::documented::{Dialect, Documented, Mcp, NOTHING_EVER, Tools};

const NAME: &str = "crush";

/// It has one, and not for sub-agents.
const EVENTS: &[(&str, EventKind)] = &[("PreToolUse", EventKind::ToolPre)];

static TOOLS: Tools = Tools {
    names: &[
        ("bash", "Bash", ToolKind::Shell),
        ("write", "Write", ToolKind::Write),
        ("edit", "Edit", ToolKind::Edit),
        ("multiedit", "MultiEdit", ToolKind::Edit),
        ("view", "Read", ToolKind::Read),
        ("ls", "LS", ToolKind::Search),
        ("glob", "Glob", ToolKind::Search),
        ("grep", "Grep", ToolKind::Search),
        ("fetch", "WebFetch", ToolKind::Fetch),
        ("agentic_fetch", "WebFetch", ToolKind::Fetch),
        ("download", "download", ToolKind::Fetch),
        ("agent", "Agent", ToolKind::Task),
        ("todos", "TodoWrite", ToolKind::Other),
    ],
    keys: &[],
    patches: &[],
    lists: &[],
    mcp: Mcp::Underscores,
};

const PROJECT_VARIABLES: &[&str] = &["CRUSH_PROJECT_DIR"];

/// The adapter of Crush.
pub(crate) static CRUSH: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        variables: PROJECT_VARIABLES,
        project_variables: PROJECT_VARIABLES,
        event_key: "event",
        events: EVENTS,
        tools: &TOOLS,
        ..Dialect::CLAUDE
    },
    marks: &["CRUSH", "CRUSH_EVENT"],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

/// What Crush can carry at its event: a new input is laid over the original, key by key.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            stop: Carry::Yes,
            allow: Carry::Yes,
            rewrite_input: RewriteInput::MergedOver,
            context: ContextChannel::UnlessDenied,
            ..Abilities::NOTHING
        },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// An answer. The order of the fields is the order on the wire.
#[derive(Debug, Default, PartialEq, Serialize)]
struct AnswerWire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Map<String, Value>>,
}

fn encode(fitted: &Fitted) -> Answer {
    let parts = fitted.parts();
    let (decision, reason) = match &parts.verdict {
        FittedVerdict::Deny { reason } => (Some("deny"), Some(reason.as_str())),
        FittedVerdict::Allow { reason } => (Some("allow"), reason.as_deref()),
        // No question fits.
        FittedVerdict::Silent | FittedVerdict::Ask { .. } => (None, None),
    };
    let context = said(parts.context.as_ref());
    let halt = parts.stop.as_ref().map(|_| true);
    let answer = AnswerWire { decision, reason, halt, context, updated_input: parts.input.as_ref() };
    if answer == AnswerWire::default() { Answer::default() } else { answer::json(&answer) }
}

/// The event stands in `event`, as with Goose, which calls its folder otherwise.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let its_own = payload.get("event").and_then(Value::as_str) == Some("PreToolUse");
    match (has("event"), has("working_dir") || has("matcher_context") || has("hook_event_name")) {
        (false, _) | (true, true) => Claim::NotMine,
        (true, false) if its_own && has("cwd") => Claim::Mine,
        (true, false) => Claim::CannotTell,
    }
}
