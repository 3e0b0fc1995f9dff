//! Whether a payload is one of Gemini CLI, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::event_names;
use tenter_contract::ports::Claim;

use super::wire::EVENTS;

/// The names it shares with other agents; the others are its own.
const SHARED: [&str; 3] = ["SessionStart", "SessionEnd", "Notification"];

/// Most of its events have names of their own. Of the others it can only be said that every payload has a time
/// in it and none a `permission_mode`: Qwen Code, which was made from it, leaves that out too at times.
pub(super) fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = ["permission_mode", "prompt_id", "sessionId", "hookName", "conversation_id"];
    let Some(name) = payload.get("hook_event_name").and_then(Value::as_str) else { return Claim::NotMine };
    if foreign.into_iter().any(has) {
        return Claim::NotMine;
    }
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    match (its_own, SHARED.contains(&name)) {
        (true, false) => Claim::Mine,
        (true, true) if has("timestamp") => Claim::CannotTell,
        // A name that we know from elsewhere. What nobody knows may come with the next version.
        (true, true) => Claim::NotMine,
        (false, _) if event_names::find(name).is_some() => Claim::NotMine,
        (false, _) => Claim::CannotTell,
    }
}
