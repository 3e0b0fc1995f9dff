//! Whether a payload is one of Claude Code, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;

/// Every payload after the first prompt has a `prompt_id`, which no other agent sends. None has a time in it, a
/// `turn_id` beside the name of a model (that is Codex), or a key in camel case.
pub(super) fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = ["timestamp", "sessionId", "hookName", "conversation_id", "cursor_version"];
    if foreign.into_iter().any(has) || (has("turn_id") && has("model")) || !has("hook_event_name") {
        return Claim::NotMine;
    }
    if has("prompt_id") { Claim::Mine } else { Claim::CannotTell }
}
