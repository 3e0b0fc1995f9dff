//! Whether a payload is one of the plugin, by its shape alone.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{AgentName, event_names};

use super::wire::{EVENTS, PLUGIN};

/// The plugin says in which agent it runs. Without that, a name in OpenCode's manner may be of any agent that has its
/// plugins, and any other known name is of somebody else.
pub(super) fn recognises(agent: &AgentName, payload: &Map<String, Value>) -> Claim {
    let Some(name) = payload.get("hook_event_name").and_then(Value::as_str) else { return Claim::NotMine };
    match payload.get(PLUGIN) {
        Some(plugin) if plugin.as_str() == Some(agent.as_str()) => Claim::Mine,
        Some(_) => Claim::NotMine,
        None if EVENTS.iter().any(|(own, _)| *own == name) => Claim::CannotTell,
        None if event_names::find(name).is_some() => Claim::NotMine,
        None => Claim::CannotTell,
    }
}
