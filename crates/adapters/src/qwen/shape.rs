//! Whether a payload is one of Qwen Code, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::event_names;
use tenter_contract::ports::Claim;

use super::wire::EVENTS;

/// Its events have Claude Code's names and its payloads Gemini CLI's time, so it is known by both together: Claude
/// Code sends no time, Gemini CLI has other names, Copilot CLI names a transcript only where it also gives a
/// `stop_reason`, and VS Code, which has all of that, has no `permission_mode`. Where Qwen Code has none either,
/// nothing is certain.
pub(super) fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign =
        ["sessionId", "hookName", "conversation_id", "turn_id", "tool_result", "stop_reason", "mcp_context"];
    let Some(name) = payload.get("hook_event_name").and_then(Value::as_str) else { return Claim::NotMine };
    if foreign.into_iter().any(has) || !payload.get("timestamp").is_some_and(Value::is_string) {
        return Claim::NotMine;
    }
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    if its_own && has("transcript_path") && has("permission_mode") {
        return Claim::Mine;
    }
    // A name that we know from elsewhere is not its own. What nobody knows may come with the next version.
    if !its_own && event_names::find(name).is_some() { Claim::NotMine } else { Claim::CannotTell }
}
