//! Cursor, the editor and its command line. Read in the hook engine of its SDK 1.0.32 and in its documents; not
//! measured.

mod tools;
mod abilities;
mod encode;
mod install;

use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::Claim;

use crate::answer;
use crate::documented::{Dialect, Documented};

const NAME: &str = "cursor";

const EVENT_KEY: &str = "hook_event_name";

/// Its events and ours, and the names that it gives to events of hooks from Claude Code's settings.
///
/// One shell call comes at `preToolUse` and at `beforeShellExecution`; tenter is installed at the first alone.
const EVENTS: &[(&str, EventKind)] = &[
    ("sessionStart", EventKind::SessionStart),
    ("sessionEnd", EventKind::SessionEnd),
    ("beforeSubmitPrompt", EventKind::PromptSubmit),
    ("preToolUse", EventKind::ToolPre),
    ("beforeShellExecution", EventKind::ToolPre),
    ("beforeMCPExecution", EventKind::ToolPre),
    ("beforeReadFile", EventKind::ToolPre),
    ("postToolUse", EventKind::ToolPost),
    ("afterShellExecution", EventKind::ToolPost),
    ("afterMCPExecution", EventKind::ToolPost),
    ("afterFileEdit", EventKind::ToolPost),
    ("postToolUseFailure", EventKind::ToolError),
    ("afterAgentResponse", EventKind::ProviderResponse),
    ("subagentStart", EventKind::SubagentStart),
    ("subagentStop", EventKind::SubagentComplete),
    ("preCompact", EventKind::ContextPreCompact),
    ("stop", EventKind::OrchestratorComplete),
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PostToolUseFailure", EventKind::ToolError),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentComplete),
    ("PreCompact", EventKind::ContextPreCompact),
    ("Stop", EventKind::OrchestratorComplete),
];

const PROJECT_VARIABLES: &[&str] = &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The adapter of Cursor.
pub(crate) static CURSOR: Documented = Documented {
    dialect: Dialect {
        name: NAME,
        variables: PROJECT_VARIABLES,
        project_variables: PROJECT_VARIABLES,
        event_key: EVENT_KEY,
        events: EVENTS,
        call: tools::call,
        tools: &tools::TOOLS,
        ..Dialect::CLAUDE
    },
    marks: &["CURSOR_VERSION", "CURSOR_PROJECT_DIR"],
    recognises,
    abilities: abilities::abilities,
    encode: encode::encode,
    // Some builds block on silence.
    silence: "{}",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

/// Every payload says which Cursor it comes from, and which generation; no other agent's does.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let named = payload.get(EVENT_KEY).is_some_and(Value::is_string);
    match (has("cursor_version") || has("generation_id"), named) {
        (true, _) => Claim::Mine,
        (false, true) if has("conversation_id") && !has("is_mcp_tool") => Claim::CannotTell,
        (false, _) => Claim::NotMine,
    }
}
