//! Windsurf's Cascade, called Devin Desktop since June 2026. Read in its documents; not measured.

mod install;
mod tools;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, Answer, Carry, Event, EventKind, Fitted};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope, NOTHING_EVER};

const NAME: &str = "windsurf";

const EVENT_KEY: &str = "agent_action_name";

/// The event is the tool.
const EVENTS: &[(&str, EventKind)] = &[
    ("pre_user_prompt", EventKind::PromptSubmit),
    ("pre_read_code", EventKind::ToolPre),
    ("pre_write_code", EventKind::ToolPre),
    ("pre_run_command", EventKind::ToolPre),
    ("pre_mcp_tool_use", EventKind::ToolPre),
    ("post_read_code", EventKind::ToolPost),
    ("post_write_code", EventKind::ToolPost),
    ("post_run_command", EventKind::ToolPost),
    ("post_mcp_tool_use", EventKind::ToolPost),
    ("post_cascade_response", EventKind::OrchestratorComplete),
    ("post_cascade_response_with_transcript", EventKind::OrchestratorComplete),
];

/// The adapter of Windsurf.
pub(crate) static WINDSURF: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        event_key: EVENT_KEY,
        events: EVENTS,
        inside: Some("tool_info"),
        call: tools::call,
        tools: &tools::TOOLS,
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

static ENVELOPE: Envelope =
    Envelope { tools: &tools::TOOLS, deny: |_| Deny::ExitCode, context: ContextAt::Inside };

/// It reads no JSON: an exit code denies.
fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, EVENT_KEY)
}

/// What Windsurf can carry at an event: a deny before something happens, and nothing else.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => Abilities { block: Carry::Yes, ..NOTHING_EVER },
        EventKind::Other(_) => Abilities::NOTHING,
        _ => NOTHING_EVER,
    }
}

/// No other agent names its events there.
fn recognises(payload: &Map<String, Value>) -> Claim {
    if payload.get(EVENT_KEY).is_some_and(Value::is_string) { Claim::Mine } else { Claim::NotMine }
}
