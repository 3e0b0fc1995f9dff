//! Resolves the agent that sent a payload. The command names one, but agents read each other's settings: Copilot CLI runs the hooks
//! of a repository's `.claude/settings.json`, Cursor and VS Code also those of the user. And one agent may call us from
//! two of its own files.

use std::time::Instant;

use tenter_adapters::{other_sender, other_sender_of_bytes};
use tenter_contract::ports::{AgentAdapter, Decoded, Scope, Surroundings};
use tenter_runtime::Request;

use crate::answer::environment_of;
use crate::other_entries::EntryRun;

/// Decodes a payload for the agent that sent it: the one that the command names, unless the payload is certainly of
/// another. A payload is parsed once, because it nearly always is the named agent's. An event that the same agent also
/// reports through a better entry is left to that one (`other_entries`). `scope` is that of the settings with the command.
pub(crate) fn resolve_sender<'a>(
    named: &'a dyn AgentAdapter,
    scope: Option<Scope>,
    payload: &'a [u8],
    surroundings: &Surroundings,
) -> Request<'a> {
    let arrived = Instant::now();
    let decoded = named.decode(payload, surroundings);
    let other = match &decoded {
        Ok(Decoded::Event(event)) => event.raw.as_object().and_then(|raw| other_sender(named, raw, is_set)),
        Ok(Decoded::NotForUs) => None,
        Err(_) => other_sender_of_bytes(named, payload, is_set),
    };
    let (agent, mut decoded): (&dyn AgentAdapter, _) = match other {
        None => (named, decoded),
        Some(other) => {
            let surroundings = Surroundings { environment: environment_of(other), ..surroundings.clone() };
            (other, other.decode(payload, &surroundings))
        }
    };
    if let Ok(Decoded::Event(event)) = &decoded {
        let run = EntryRun { sender: agent, named, scope, event };
        if (other.is_some() && run.has_better_entry()) || run.has_entry_at_home() {
            decoded = Ok(Decoded::NotForUs);
        }
    }
    Request { agent, payload, decoded, arrived }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}
