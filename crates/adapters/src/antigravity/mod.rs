//! Google Antigravity's command line, `agy`. Known from what others have published of versions 1.0 to 1.2; not measured
//! here.

mod encode;
mod install;
mod tools;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, AskUser, Carry, ContextChannel, Event, EventKind};

use crate::documented::{Dialect, Documented, EVENT_VARIABLE, NOTHING_EVER};

const NAME: &str = "antigravity";

const EVENTS: &[(&str, EventKind)] = &[
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PreInvocation", EventKind::ProviderRequest),
    ("PostInvocation", EventKind::ProviderResponse),
    ("Stop", EventKind::OrchestratorComplete),
];

/// The adapter of Antigravity.
pub(crate) static ANTIGRAVITY: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        variables: &[EVENT_VARIABLE],
        events: EVENTS,
        unnamed,
        call: tools::call,
        tools: &tools::TOOLS,
        ..Dialect::CLAUDE
    },
    marks: &[],
    recognises,
    abilities,
    encode: encode::encode,
    silence: encode::GO_ON,
    refusal: encode::refusal,
    installer: &install::INSTALLER,
};

/// Its payloads do not name their event. Our entries do; for others it is told by what is there.
fn unnamed(payload: &Map<String, Value>) -> Option<&'static str> {
    let has = |key: &str| payload.contains_key(key);
    let by_keys = [
        (has("toolCall") && (has("error") || has("toolResult") || has("result")), "PostToolUse"),
        (has("toolCall"), "PreToolUse"),
        (has("terminationReason") || has("fullyIdle"), "Stop"),
        (has("invocationNum"), "PreInvocation"),
    ];
    by_keys.into_iter().find(|(fits, _)| *fits).map(|(_, name)| name).filter(|_| has("conversationId"))
}

/// What Antigravity can carry at an event: its one channel for context is before a call of the model.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::ToolPre => Abilities { block: Carry::Yes, ask: AskUser::Plainly, ..Abilities::NOTHING },
        EventKind::ProviderRequest => Abilities { context: ContextChannel::Beside, ..Abilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// Keys in camel case, and no name of the event.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let named = payload.get("hook_event_name").and_then(Value::as_str);
    let its_own = named.is_none_or(|name| {
        EVENTS.iter().any(|(own, _)| *own == name) || tenter_contract::event_names::find(name).is_none()
    });
    if has("conversationId") && !has("sessionId") && its_own { Claim::Mine } else { Claim::NotMine }
}
