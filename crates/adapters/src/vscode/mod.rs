//! VS Code's Copilot agent. Read in its documents of August 2026; not measured.

mod tools;
mod abilities;
mod install;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{Answer, EventKind, Fitted};

use crate::answer;
use crate::documented::{ContextAt, Deny, Dialect, Documented, Envelope};

const NAME: &str = "vscode";

const EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PreCompact", EventKind::ContextPreCompact),
    ("SubagentStart", EventKind::SubagentStart),
    ("SubagentStop", EventKind::SubagentComplete),
    ("Stop", EventKind::OrchestratorComplete),
];

/// The adapter of VS Code.
pub(crate) static VSCODE: Documented = Documented {
    dialect: Dialect { name: NAME, events: EVENTS, tools: &tools::TOOLS, ..Dialect::CLAUDE },
    marks: &[],
    recognises,
    abilities: abilities::abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &install::INSTALLER,
};

static ENVELOPE: Envelope = Envelope { tools: &tools::TOOLS, deny, context: ContextAt::Inside };

fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, "hook_event_name")
}

/// At the end of a turn the decision stands where nobody else has it.
fn deny(kind: &EventKind) -> Deny {
    match kind {
        EventKind::ToolPre => Deny::Permission,
        EventKind::OrchestratorComplete => Deny::BlockInside,
        EventKind::ToolPost | EventKind::SubagentComplete => Deny::Block,
        _ => Deny::ExitCode,
    }
}

/// Claude Code's names with a time, as Copilot CLI and Qwen Code send them, and nothing of its own beside them but the
/// names of its tools. Where these are not there it is known only as one who reads the settings of others.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let foreign = [
        "permission_mode",
        "prompt_id",
        "turn_id",
        "sessionId",
        "hookName",
        "conversation_id",
        "cursor_version",
        "tool_result",
        "initial_prompt",
        "stop_reason",
        "parent_agent_id",
        "mcp_context",
        "last_assistant_message",
        "tool_call_id",
    ];
    let Some(name) = text("hook_event_name") else { return Claim::NotMine };
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    let known = tenter_contract::event_names::find(name).is_some();
    let other_start = name == "SessionStart" && text("source").is_some_and(|source| source != "new");
    if foreign.into_iter().any(has) || text("timestamp").is_none() || (known && !its_own) || other_start {
        return Claim::NotMine;
    }
    match text("tool_name") {
        Some(tool) if CLAUDES_TOOLS.contains(&tool) => Claim::NotMine,
        Some(tool) if its_own && ITS_TOOLS.contains(&tool) => Claim::Mine,
        Some(_) | None => Claim::CannotTell,
    }
}

/// Tools that no other agent calls so.
const ITS_TOOLS: [&str; 9] = [
    "run_in_terminal",
    "runTerminalCommand",
    "runInTerminal",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "editFiles",
    "fetch_webpage",
    "runSubagent",
];

/// Tools that it does not have: whoever sends these is somebody else.
const CLAUDES_TOOLS: [&str; 8] = ["Bash", "Write", "Edit", "MultiEdit", "Read", "Grep", "Glob", "Agent"];
