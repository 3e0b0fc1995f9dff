//! The agent that works on an entry.

use tenter_contract::{Event, SessionId};

/// One agent of one session: each has at most one active entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Who {
    /// The session.
    pub session: SessionId,
    /// The sub-agent; none for the main agent.
    pub agent_id: Option<String>,
}

/// Prefix of the session of a user at a terminal.
const BY_HAND: &str = "by-hand:";

impl Who {
    /// The agent of an event.
    pub fn from_event(event: &Event) -> Self {
        Self::sub_agent(event.session_or_shared(), event.agent_id.as_deref().unwrap_or_default())
    }

    /// The session of the user; all terminals of a project share it.
    pub fn by_hand(project: &str) -> Option<SessionId> {
        SessionId::parse(&format!("{BY_HAND}{project}"))
    }

    /// Whether this is the session of a user at a terminal.
    pub fn is_by_hand(session: &str) -> bool {
        session.starts_with(BY_HAND)
    }

    /// The main agent of a session.
    pub fn new(session: SessionId) -> Self {
        Self { session, agent_id: None }
    }

    /// A sub-agent of a session; an empty id means the main agent.
    pub fn sub_agent(session: SessionId, agent_id: &str) -> Self {
        let agent_id = agent_id.trim();
        Self { session, agent_id: (!agent_id.is_empty()).then(|| agent_id.to_owned()) }
    }
}
