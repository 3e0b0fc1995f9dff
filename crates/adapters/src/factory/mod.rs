//! Factory's droid. Read in the program 0.225.2; not measured.

mod tools;
mod install;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Abilities, Answer, Carry, Event, EventKind, Fitted, RewriteInput, StopLoop};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope, NOTHING_EVER};

const NAME: &str = "factory";

const EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("Notification", EventKind::UserNotification),
    ("Stop", EventKind::OrchestratorComplete),
    ("SubagentStop", EventKind::SubagentComplete),
    ("PreCompact", EventKind::ContextPreCompact),
];

const PROJECT_VARIABLES: &[&str] = &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The adapter of droid.
pub(crate) static FACTORY: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        variables: PROJECT_VARIABLES,
        project_variables: PROJECT_VARIABLES,
        events: EVENTS,
        tools: &tools::TOOLS,
        ..Dialect::CLAUDE
    },
    marks: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

/// Of several decisions in JSON the first counts, so that a hook that allows everything could lift a deny; an exit
/// code of 2 stands whatever others say.
static ENVELOPE: Envelope =
    Envelope { tools: &tools::TOOLS, deny: |_| Deny::ExitCode, context: ContextAt::Inside };

fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, "hook_event_name")
}

const CONTEXT: Abilities = Abilities { context: ContextAt::Inside.channel(), ..Abilities::NOTHING };

/// What droid can carry at an event. It has one channel for context, so a role is carried nowhere.
fn abilities(event: &Event) -> Abilities {
    let again = event.raw.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
    match event.kind {
        EventKind::SessionStart => CONTEXT,
        EventKind::PromptSubmit => Abilities { block: Carry::Yes, rewrite_prompt: Carry::Yes, ..CONTEXT },
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            stop: Carry::Yes,
            allow: Carry::Yes,
            rewrite_input: match event.tool.as_ref() {
                Some(tool) if !tools::TOOLS.is_plain(&tool.native_name) => RewriteInput::Never,
                Some(_) | None => RewriteInput::MergedOver,
            },
            ..Abilities::NOTHING
        },
        // The reason goes to the model, and so does the result.
        EventKind::ToolPost => Abilities { block: Carry::Yes, message: Carry::Yes, ..CONTEXT },
        EventKind::OrchestratorComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::NeverEnds { again }, ..Abilities::NOTHING }
        }
        EventKind::ContextPreCompact => Abilities { block: Carry::Yes, ..Abilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// Its modes have names of their own.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = ["timestamp", "sessionId", "conversation_id", "turn_id", "prompt_id", "hookName"];
    let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let mode = payload.get("permission_mode").and_then(Value::as_str);
    let its_mode = mode.map(|mode| matches!(mode, "off" | "spec") || mode.starts_with("auto-"));
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    let known = tenter_contract::event_names::find(name).is_some();
    match its_mode {
        _ if foreign.into_iter().any(has) || name.is_empty() || (known && !its_own) => Claim::NotMine,
        Some(true) => Claim::Mine,
        Some(false) => Claim::NotMine,
        None => Claim::CannotTell,
    }
}
