//! Whether a payload is one of Cline, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;

/// Every payload says which Cline it is and which task, and nobody else's does.
pub(super) fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    match (has("hookName"), has("clineVersion") || has("taskId")) {
        (true, true) if !has("hook_event_name") => Claim::Mine,
        // A payload by hand may leave out everything but the name of its event.
        (true, false) if !has("hook_event_name") && !has("sessionId") => Claim::CannotTell,
        (true | false, _) => Claim::NotMine,
    }
}
