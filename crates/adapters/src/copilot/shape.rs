//! Whether a payload is one of Copilot CLI, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::event_names;
use tenter_contract::ports::Claim;

use super::wire::is_its_own;

/// Under names in camel case it sends a `sessionId` and the time as a number, which nobody else does. Under names in
/// Pascal case only some payloads have a key of its own; the others look like Claude Code's with a time in them, and
/// without the path of a transcript that Qwen Code sends beside it.
pub(super) fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign =
        ["permission_mode", "prompt_id", "turn_id", "conversation_id", "cursor_version", "clineVersion"];
    if foreign.into_iter().chain(["taskId", "tool_use_id"]).any(has) {
        return Claim::NotMine;
    }
    if has("sessionId") && payload.get("timestamp").is_some_and(Value::is_number) {
        return Claim::Mine;
    }
    let Some(name) = payload.get("hook_event_name").and_then(Value::as_str) else { return Claim::NotMine };
    if !is_its_own(name) && event_names::find(name).is_some() {
        return Claim::NotMine;
    }
    let its_own_keys = ["tool_result", "initial_prompt", "stop_reason", "parent_agent_id"];
    match (has("timestamp"), its_own_keys.into_iter().any(has)) {
        (true, true) => Claim::Mine,
        (true, false) if !has("transcript_path") => Claim::CannotTell,
        (true | false, _) => Claim::NotMine,
    }
}
