//! The events of an agent: its names, ours, and at which of them tenter is installed.

use tenter_contract::EventKind;

use super::AgentSpec;

/// An event of an agent.
pub(crate) struct AgentEvent {
    /// The agent's name for it.
    pub(crate) name: &'static str,
    /// Ours; none if it can only be observed.
    pub(crate) kind: Option<EventKind>,
    /// The name under which it is observed.
    observed_as: &'static str,
    /// How long the agent waits for tenter, in seconds; none if tenter is not installed there.
    pub(crate) timeout: Option<u32>,
    /// Whether a deny prevents something there. Elsewhere it comes too late, means something else (at the end of a turn:
    /// continue), or gets in the way of the agent itself (before compaction).
    pub(crate) guards: bool,
}

impl AgentEvent {
    /// Our event.
    pub(crate) fn event_kind(&self, agent: &AgentSpec) -> EventKind {
        match &self.kind {
            Some(kind) => kind.clone(),
            None => EventKind::Other(format!("{}:{}", agent.name, self.observed_as)),
        }
    }

    /// The time of an entry, in seconds.
    pub(crate) fn seconds(&self) -> u32 {
        self.timeout.unwrap_or_default()
    }
}

/// An event at which tenter is installed and a deny prevents something.
pub(crate) const fn guarded(name: &'static str, kind: EventKind, timeout: u32) -> AgentEvent {
    AgentEvent { name, kind: Some(kind), observed_as: name, timeout: Some(timeout), guards: true }
}

/// An event at which tenter is installed and a deny prevents nothing.
pub(crate) const fn watched(name: &'static str, kind: EventKind, timeout: u32) -> AgentEvent {
    AgentEvent { name, kind: Some(kind), observed_as: name, timeout: Some(timeout), guards: false }
}

/// An event that is understood, and at which tenter is not installed.
pub(crate) const fn received(name: &'static str, kind: EventKind) -> AgentEvent {
    AgentEvent { name, kind: Some(kind), observed_as: name, timeout: None, guards: false }
}

/// An event without a counterpart, whose name means something elsewhere.
pub(crate) const fn observed(name: &'static str, observed_as: &'static str) -> AgentEvent {
    AgentEvent { name, kind: None, observed_as, timeout: None, guards: false }
}

impl AgentEvent {
    /// The same, with an entry of tenter's.
    pub(crate) const fn installed(name: &'static str, timeout: u32) -> Self {
        Self { name, kind: None, observed_as: name, timeout: Some(timeout), guards: false }
    }
}
