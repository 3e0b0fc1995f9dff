//! VS Code's Copilot agent. Read in its documents of August 2026; not measured.

mod tools;
mod capabilities;

use serde_json::{Map, Value};
use tenter_contract::ports::{Claim, Reading, ReadsToo, Scope};
use tenter_contract::{AgentName, EventKind};

use crate::agent_spec::{AgentSpec, DenyForm, guarded, has_word, watched};
use crate::copilot::COPILOT;
use crate::installer::Installer;

pub(crate) static VSCODE: AgentSpec = AgentSpec {
    name: "vscode",
    events: &[
        watched("SessionStart", EventKind::SessionStart, 600),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 600),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("PreCompact", EventKind::ContextPreCompact, 600),
        watched("SubagentStart", EventKind::SubagentStart, 600),
        watched("SubagentStop", EventKind::SubagentComplete, 600),
        watched("Stop", EventKind::OrchestratorComplete, 600),
    ],
    tools: &tools::TOOLS,
    recognises,
    capabilities: capabilities::capabilities,
    // At the end of a turn the decision has a place of its own.
    deny_form: |kind| match kind {
        EventKind::ToolPre => DenyForm::Permission,
        EventKind::OrchestratorComplete => DenyForm::BlockInside,
        EventKind::ToolPost | EventKind::SubagentComplete => DenyForm::Block,
        _ => DenyForm::ExitCode,
    },
    // It reads the hook files of Copilot CLI and of Claude Code, and has none of its own.
    installer: Installer {
        title: "VS Code",
        program: Some("code"),
        user: COPILOT.installer.user,
        project: COPILOT.installer.project,
        entries_of: Some(&COPILOT),
        reads_too: &[ReadsToo {
            agent: AgentName::from_static("claude"),
            scopes: &Scope::ALL,
            reading: Reading::Always,
        }],
        home_folder: Some(".vscode"),
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

/// Claude Code's names with a time, as Copilot CLI and Qwen Code send them, and nothing of its own but the names of its
/// tools. Without a tool it is known only as a reader of the settings of others.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let Some(name) = VSCODE.possible_event(payload, FOREIGN_KEYS) else { return Claim::NotMine };
    let other_start = name == "SessionStart" && text("source").is_some_and(|source| source != "new");
    if text("timestamp").is_none() || other_start {
        return Claim::NotMine;
    }
    let its_own = VSCODE.find_event(name).is_some();
    match text("tool_name") {
        Some(tool) if has_word(CLAUDES_TOOLS, tool) => Claim::NotMine,
        Some(tool) if its_own && has_word(ITS_TOOLS, tool) => Claim::Mine,
        Some(_) | None => Claim::CannotTell,
    }
}

const FOREIGN_KEYS: &str = "permission_mode prompt_id turn_id sessionId hookName conversation_id cursor_version \
    tool_result initial_prompt stop_reason parent_agent_id mcp_context last_assistant_message tool_call_id";

/// Names of tools that no other agent uses.
const ITS_TOOLS: &str = "run_in_terminal runTerminalCommand runInTerminal replace_string_in_file \
    multi_replace_string_in_file insert_edit_into_file editFiles fetch_webpage runSubagent";

/// Names of tools that only other agents send.
const CLAUDES_TOOLS: &str = "Bash Write Edit MultiEdit Read Grep Glob Agent";
