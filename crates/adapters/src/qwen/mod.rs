//! Qwen Code, as measured on version 0.15.10.

mod encode;
mod capabilities;
mod tools;

use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::Claim;

use crate::agent_spec::{AgentSpec, CLAUDE_EVENTS, FieldNames, claude_error};
use crate::installer::{Installer, JsonRules, Layout, home, in_project, switch_warning};

pub(crate) static QWEN: AgentSpec = AgentSpec {
    name: "qwen",
    // Qwen Code sets both, and a third under Gemini CLI's name; the first is its own.
    project_variables: &["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    marks: &["QWEN_PROJECT_DIR"],
    // All events of 0.15.10. Without a timeout in the entry Qwen Code waits 60 s. It counts milliseconds; later versions
    // count seconds below a thousand, so no timeout may be shorter than a second.
    events: CLAUDE_EVENTS,
    fields: FieldNames {
        message: &["message", "last_assistant_message", "compact_summary"],
        ..FieldNames::CLAUDE
    },
    tools: &tools::TOOLS,
    complete: |event, payload, _| event.error = claude_error(event, payload),
    // It reports a prompt also when it sends results to the model. Hooks that inject would run again and again.
    ignores: |event| event.kind == EventKind::PromptSubmit && event.prompt.as_deref() == Some(""),
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    installer: Installer {
        title: "Qwen Code",
        package: Some("@qwen-code/qwen-code"),
        user: home("QWEN_HOME", ".qwen", "settings.json"),
        project: in_project(".qwen/settings.json"),
        // The user's entry names the installation, so that it is no twin of the project's, which leaves the event to it.
        format: &Layout {
            milliseconds: true,
            names_scope: true,
            // A file with a byte order mark it moves away as corrupted.
            json: JsonRules::Commented,
            warnings: |_, settings| {
                let effect = "Qwen Code runs no hook at all, and tenter is never called";
                switch_warning(settings, "/disableAllHooks", true, effect).into_iter().collect()
            },
            ..Layout::CLAUDE
        },
        // By name and command, over all files; ours have no name.
        runs_twins_once: true,
        ..Installer::NONE
    },
    ..AgentSpec::MEASURED
};

/// Its events have Claude Code's names and its payloads Gemini CLI's time: Claude Code sends no time, Gemini CLI has
/// other names, Copilot CLI names a transcript only together with a `stop_reason`, and VS Code, which has all of that,
/// has no `permission_mode`. Without a `permission_mode` nothing is certain.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = "sessionId hookName conversation_id turn_id tool_result stop_reason mcp_context";
    match QWEN.possible_event(payload, foreign) {
        Some(name) if payload.get("timestamp").is_some_and(Value::is_string) => {
            let its_own = QWEN.find_event(name).is_some();
            let certain = its_own && has("transcript_path") && has("permission_mode");
            if certain { Claim::Mine } else { Claim::CannotTell }
        }
        Some(_) | None => Claim::NotMine,
    }
}
