//! Finds the context window of an event. A compaction or a clear begins the next one: injected texts
//! are gone from it, and hooks with `once: session` run again. The announcement of a compaction begins none.

use tenter_contract::ports::{ClaimOutcome, CountOp, StateError};
use tenter_contract::{ContextId, Diagnostics, Event, EventKind, SessionClaim, SessionCounter, SessionId};

use super::SessionService;

impl SessionService {
    pub(super) fn begin_context(&self, event: &Event, diagnostics: &mut Diagnostics) {
        // A sub-agent that shares its parent's session has a context of its own; one with its own session has that.
        let shares_session = event.agent_type.is_some() && event.parent.is_none();
        let Some(session) = event.session.as_ref().filter(|_| !shares_session) else { return };
        let begun = match (&event.kind, event.source.as_deref()) {
            (EventKind::ContextPostCompact, _) => self
                .next_context(session)
                .and_then(|()| self.store.claim(Some(session), &SessionClaim::Compacted).map(drop)),
            (EventKind::SessionStart, Some("compact")) => self.restart(session),
            (EventKind::SessionStart, Some("clear")) => self.next_context(session),
            _ => return,
        };
        diagnostics.check(begun);
    }

    #[inline(never)]
    fn next_context(&self, session: &SessionId) -> Result<(), StateError> {
        self.store.count(Some(session), &SessionCounter::Contexts, CountOp::Increment).map(drop)
    }

    /// The end of a compaction and the start of the session after it are one new context.
    #[inline(never)]
    fn restart(&self, session: &SessionId) -> Result<(), StateError> {
        let before = self.store.claim(Some(session), &SessionClaim::Compacted)?;
        self.store.release(Some(session), &SessionClaim::Compacted)?;
        match before {
            ClaimOutcome::Taken => Ok(()),
            ClaimOutcome::Granted => self.next_context(session),
        }
    }

    /// The number of the session's context, counted from 0.
    pub(crate) fn context_number(&self, session: Option<&SessionId>) -> Result<u64, StateError> {
        self.store.count(session, &SessionCounter::Contexts, CountOp::Read)
    }

    /// The context that text for this event goes into.
    pub(super) fn context(&self, event: &Event) -> Result<ContextId, StateError> {
        let agent_id = event.agent_id.clone().filter(|_| event.agent_type.is_some());
        Ok(ContextId { generation: self.context_number(event.session.as_ref())?, agent_id })
    }
}
