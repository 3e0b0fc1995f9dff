//! The sender of a payload. The command names an agent, but agents read each other's settings files, so that a
//! payload may come from another one.
//!
//! The shape of the payload counts, the name in the command comes second, and the environment last: it is
//! inherited, so that an agent that was started inside another has the marks of both.

use serde_json::{Map, Value};
use tenter_contract::AgentName;
use tenter_contract::ports::{AgentAdapter, Claim};

use crate::{all, payload as payloads};

/// The agent that has sent this payload, if it is certainly not the one that the command names and if we have
/// an adapter for it. `is_set` tests for an environment variable.
pub fn other_sender(
    named: &dyn AgentAdapter,
    payload: &Map<String, Value>,
    is_set: impl Fn(&str) -> bool,
) -> Option<&'static dyn AgentAdapter> {
    let claim = named.recognises(payload);
    if claim == Claim::Mine {
        return None;
    }
    let others = || all().iter().copied().filter(|other| other.name() != named.name());
    let claimed = others().filter(|other| other.recognises(payload) == Claim::Mine);
    if let Some(sender) = only(claimed) {
        return Some(sender);
    }
    // If the payload may be that of the named agent, no variable counts.
    if claim == Claim::CannotTell {
        return None;
    }
    let possible = || others().filter(|other| other.recognises(payload) == Claim::CannotTell);
    let marked = possible().filter(|other| other.marks().iter().any(|mark| is_set(mark)));
    // An agent with marks would show one.
    let readers = possible().filter(|other| other.marks().is_empty() && reads(*other, named));
    only(marked).or_else(|| only(readers))
}

/// Whether an agent runs hooks of another one's settings: a payload that is not of that one comes from such a reader.
fn reads(reader: &dyn AgentAdapter, named: &dyn AgentAdapter) -> bool {
    let Some(installer) = reader.installer() else { return false };
    let of_named = |agent: &AgentName| *agent == named.name();
    installer.reads_too().iter().any(|other| of_named(&other.agent))
        || installer.entries_name().as_ref().is_some_and(of_named)
}

/// The same for a payload that the named agent's adapter could not read.
pub fn other_sender_of_bytes(
    named: &dyn AgentAdapter,
    payload: &[u8],
    is_set: impl Fn(&str) -> bool,
) -> Option<&'static dyn AgentAdapter> {
    other_sender(named, &payloads::parse_payload(payload).ok()?, is_set)
}

/// The only one there is. Two that claim a payload are none.
fn only<T>(mut several: impl Iterator<Item = T>) -> Option<T> {
    let first = several.next();
    first.filter(|_| several.next().is_none())
}
