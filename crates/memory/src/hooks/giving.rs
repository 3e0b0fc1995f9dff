//! What goes into a context goes into it once, whichever hook gives it.

use tenter_contract::ports::CountOp;
use tenter_contract::{ContextId, SessionCounter};

use super::call::HookCall;
use crate::context::{Assembled, Delivered};

impl HookCall<'_> {
    /// The context that the text goes into; none without a session, and then nothing in it is known either.
    pub(super) fn context(&mut self) -> Option<ContextId> {
        if !self.has_session() {
            return None;
        }
        let generation = self.services.sessions.count(
            self.event.session.as_ref(),
            &SessionCounter::Contexts,
            CountOp::Read,
        );
        // Where nothing can count, what received once is not passed again.
        let generation = self.noted(generation).unwrap_or_default();
        let agent_id = self.event.agent_id.clone().filter(|_| self.event.agent_type.is_some());
        Some(ContextId { generation, agent_id })
    }

    pub(super) fn known(&mut self, context: Option<&ContextId>) -> Delivered {
        let Some(context) = context else { return Delivered::new() };
        let (known, trouble) = self.services.delivery_log.known(&self.event.session_or_shared(), context);
        if let Some(cause) = trouble {
            self.note(format!("what was recalled before is not known: {cause}"));
        }
        known
    }

    pub(super) fn give(&mut self, context: Option<&ContextId>, recalled: Assembled) {
        if let Some(context) = context
            && let Err(cause) =
                self.services.delivery_log.add(&self.event.session_or_shared(), context, &recalled.cited)
        {
            self.note(format!("what was recalled could not be noted, so it may be recalled again: {cause}"));
        }
        self.inject_recalled(recalled.markdown);
    }
}
