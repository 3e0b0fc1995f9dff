//! Claude Code, as measured on version 2.1.197.

mod decode;
mod encode;
mod capabilities;
mod install;
mod tools;

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;

use crate::agent_spec::{AgentSpec, CLAUDE_EVENTS, FieldNames, has_any_key};

/// Whether a user watches: `-p` and the SDKs run unattended.
const ATTENDED: &str = "CLAUDE_CODE_SESSION_ATTENDED";
const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";

pub(crate) static CLAUDE: AgentSpec = AgentSpec {
    name: "claude",
    variables: &["CLAUDE_PROJECT_DIR", ATTENDED, ENTRYPOINT],
    // The payload's `cwd` is no substitute: it follows the model's `cd`.
    project_variables: &["CLAUDE_PROJECT_DIR"],
    marks: &["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"],
    // Not here: `WorktreeCreate`, where a hook replaces git's own work; `MessageDisplay` and the events around the
    // choice of a model, which are frequent and of little use. Without a timeout in the entry Claude Code waits 600 s, at
    // `UserPromptSubmit` 30 s, at `SessionEnd` 1.5 s.
    events: CLAUDE_EVENTS,
    fields: FieldNames {
        turn: &["prompt_id"],
        duration: &["duration_ms"],
        message: &["message", "last_assistant_message", "compact_summary"],
        file: &["file_path"],
        ..FieldNames::CLAUDE
    },
    tools: &tools::TOOLS,
    complete: decode::complete,
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    refusal: encode::refusal,
    installer: install::INSTALLER,
    ..AgentSpec::MEASURED
};

/// Every payload after the first prompt has a `prompt_id`, which no other agent sends. None has a time, a `turn_id`
/// with the name of a model (that is Codex), or a key in camel case.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let is_foreign = has_any_key(payload, "timestamp sessionId hookName conversation_id cursor_version");
    if is_foreign || (has("turn_id") && has("model")) || !has("hook_event_name") {
        return Claim::NotMine;
    }
    if has("prompt_id") { Claim::Mine } else { Claim::CannotTell }
}
