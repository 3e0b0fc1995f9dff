//! Who works on an entry.

use tenter_contract::{Event, SessionId};

/// One agent of one session: each has at most one active entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Who {
    /// The session.
    pub session: SessionId,
    /// The sub-agent; none for the session's own agent.
    pub agent_id: Option<String>,
}

impl Who {
    /// Whoever an event is about.
    pub fn of_event(event: &Event) -> Self {
        Self::sub_agent(event.session.clone(), event.agent_id.as_deref().unwrap_or_default())
    }

    /// The session's own agent.
    pub fn of(session: SessionId) -> Self {
        Self { session, agent_id: None }
    }

    /// A sub-agent of the session; an empty id is none.
    pub fn sub_agent(session: SessionId, agent_id: &str) -> Self {
        let agent_id = agent_id.trim();
        Self { session, agent_id: (!agent_id.is_empty()).then(|| agent_id.to_owned()) }
    }
}
