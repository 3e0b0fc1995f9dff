//! Whether a payload is one of Codex CLI, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::event_names;
use tenter_contract::ports::Claim;

use super::wire::is_its_own;

/// Within a turn every payload has a `turn_id` beside the name of the `model`, which no other agent sends. None
/// has a time in it, a `prompt_id`, or a key in camel case. At the two ends of a session nothing tells.
pub(super) fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = ["timestamp", "prompt_id", "sessionId", "hookName", "conversation_id", "cursor_version"];
    let Some(name) = payload.get("hook_event_name").and_then(Value::as_str) else { return Claim::NotMine };
    if foreign.into_iter().any(has) || (!is_its_own(name) && event_names::find(name).is_some()) {
        return Claim::NotMine;
    }
    if has("turn_id") && has("model") { Claim::Mine } else { Claim::CannotTell }
}
