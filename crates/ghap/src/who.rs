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

/// With which the session of a person at a terminal begins.
const BY_HAND: &str = "by-hand:";

impl Who {
    /// A process that an event is about.
    pub fn of_event(event: &Event) -> Self {
        Self::sub_agent(event.session_or_shared(), event.agent_id.as_deref().unwrap_or_default())
    }

    /// A person at a terminal; all terminals of a project share a session.
    pub fn by_hand(project: &str) -> Option<SessionId> {
        SessionId::parse(&format!("{BY_HAND}{project}"))
    }

    /// Whether the session of this id is a person's at a terminal.
    pub fn is_by_hand(session: &str) -> bool {
        session.starts_with(BY_HAND)
    }

    /// The session's own agent.
    pub fn new(session: SessionId) -> Self {
        Self { session, agent_id: None }
    }

    /// A sub-agent of the session; an empty id is none.
    pub fn sub_agent(session: SessionId, agent_id: &str) -> Self {
        let agent_id = agent_id.trim();
        Self { session, agent_id: (!agent_id.is_empty()).then(|| agent_id.to_owned()) }
    }
}
