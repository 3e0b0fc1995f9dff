//! Kiro, its command line 3 and its editor 1. Read in their documents; not measured.

mod install;
pub(crate) mod tools;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, Answer, Carry, Event, EventKind, Fitted};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope, NOTHING_EVER};

const NAME: &str = "kiro";

/// Its events, in the camel case in which payloads name them, and in the Pascal case of its files.
pub(crate) const EVENTS: &[(&str, EventKind)] = &[
    ("sessionStart", EventKind::SessionStart),
    ("agentSpawn", EventKind::SessionStart),
    ("userPromptSubmit", EventKind::PromptSubmit),
    ("preToolUse", EventKind::ToolPre),
    ("postToolUse", EventKind::ToolPost),
    ("stop", EventKind::OrchestratorComplete),
    ("SessionStart", EventKind::SessionStart),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("Stop", EventKind::OrchestratorComplete),
];

/// The adapter of Kiro.
pub(crate) static KIRO: Documented = Documented {
    dialect: Dialect { name: NAME, events: EVENTS, tools: &tools::TOOLS, ..Dialect::CLAUDE },
    marks: &[],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

static ENVELOPE: Envelope =
    Envelope { tools: &tools::TOOLS, deny: |_| Deny::ExitCode, context: ContextAt::Whole };

/// It reads no JSON: an exit code denies, and whatever is printed is context.
pub(crate) fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, "hook_event_name")
}

/// Output is cut at 10 KiB, and a character may need several bytes.
const CONTEXT_LIMIT: usize = 5_000;

pub(crate) const CONTEXT: Abilities = Abilities {
    context: ContextAt::Whole.channel(),
    context_limit: Some(CONTEXT_LIMIT),
    ..Abilities::NOTHING
};

/// What Kiro can carry at an event. That a denied prompt is not sent stands in its documents; its editor was seen to
/// send it all the same.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::SessionStart | EventKind::ToolPost => CONTEXT,
        EventKind::PromptSubmit => Abilities { block: Carry::Yes, ..CONTEXT },
        EventKind::ToolPre => Abilities { block: Carry::Yes, ..Abilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// Names in camel case with few fields beside them. A session is named by Kiro and not by Amazon Q.
fn recognises(payload: &Map<String, Value>) -> Claim {
    match (is_of_the_family(payload), payload.contains_key("session_id")) {
        (false, _) => Claim::NotMine,
        (true, true) => Claim::Mine,
        (true, false) => Claim::CannotTell,
    }
}

/// Whether a payload is one of Kiro or Amazon Q: no other agent names events in camel case without an id of its own
/// making, or a time.
pub(crate) fn is_of_the_family(payload: &Map<String, Value>) -> bool {
    let has = |key: &str| payload.contains_key(key);
    let foreign = [
        "conversation_id",
        "cursor_version",
        "sessionId",
        "timestamp",
        "hookName",
        "transcript_path",
        "turn_id",
    ];
    let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let known = EVENTS.iter().any(|(own, _)| *own == name);
    let camel = name.starts_with(|first: char| first.is_ascii_lowercase());
    let own_trigger =
        ["PostFile", "PreTask", "PostTask", "Manual"].iter().any(|start| name.starts_with(start));
    ((known && camel) || own_trigger) && !foreign.into_iter().any(has)
}
