//! Which context of its session an event belongs to. A compaction or a clear begins another one: what was injected
//! before is gone from it, and what runs once in a session runs again. A summary that an agent only announces is no
//! evidence.

use tenter_contract::ports::{CONTEXTS, ClaimOutcome, Mark, ShelfError};
use tenter_contract::{ContextId, Event, EventKind, SessionId};

use crate::Runtime;

/// What is claimed between the end of a compaction and the start of the session that follows it, which are one.
const COMPACTED: &str = "compacted, and not started again yet";

impl Runtime {
    /// Before the hooks are asked.
    pub(crate) fn begin_context(&self, event: &Event, trouble: &mut Option<ShelfError>) {
        // A sub-agent that shares its parent's session has a context apart; one with a session of its own has that one.
        let is_guest = event.agent_type.is_some() && event.parent.is_none();
        if event.session == SessionId::unknown() || is_guest {
            return;
        }
        let begun = match (&event.kind, event.source.as_deref()) {
            (EventKind::ContextPostCompact, _) => self
                .next_context(&event.session)
                .and_then(|()| self.sessions.claim(&event.session, COMPACTED).map(drop)),
            (EventKind::SessionStart, Some("compact")) => self.restarted(&event.session),
            (EventKind::SessionStart, Some("clear")) => self.next_context(&event.session),
            _ => return,
        };
        if let Err(error) = begun {
            trouble.get_or_insert(error);
        }
    }

    #[inline(never)]
    fn next_context(&self, session: &SessionId) -> Result<(), ShelfError> {
        self.sessions.tally(session, CONTEXTS, Mark::One).map(drop)
    }

    #[inline(never)]
    fn restarted(&self, session: &SessionId) -> Result<(), ShelfError> {
        let before = self.sessions.claim(session, COMPACTED)?;
        self.sessions.release(session, COMPACTED)?;
        match before {
            ClaimOutcome::Taken => Ok(()),
            ClaimOutcome::Granted => self.next_context(session),
        }
    }

    /// How often the session's context was begun anew.
    pub(crate) fn generation(&self, session: &SessionId) -> Result<u64, ShelfError> {
        self.sessions.tally(session, CONTEXTS, Mark::Look)
    }

    /// The context that text for this event goes into.
    pub(crate) fn context_of(&self, event: &Event) -> Result<ContextId, ShelfError> {
        let agent_id = event.agent_id.clone().filter(|_| event.agent_type.is_some());
        Ok(ContextId { generation: self.generation(&event.session)?, agent_id })
    }
}
