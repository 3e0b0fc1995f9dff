//! What goes into a context goes into it once, whichever hook gives it.

use tenter_contract::ContextId;
use tenter_contract::ports::{CONTEXTS, Mark};

use super::call::Call;
use crate::context::{Assembled, Known};

impl Call<'_> {
    /// The context that the text goes into; none without a session, and then nothing in it is known either.
    pub(super) fn context(&mut self) -> Option<ContextId> {
        if !self.has_session() {
            return None;
        }
        let generation = self.kept.sessions.tally(&self.event.session, CONTEXTS, Mark::Look);
        // Where nobody can count, what was given once is not given again.
        let generation = self.noted(generation).unwrap_or_default();
        let agent_id = self.event.agent_id.clone().filter(|_| self.event.agent_type.is_some());
        Some(ContextId { generation, agent_id })
    }

    /// What this context has been given.
    pub(super) fn known(&mut self, context: Option<&ContextId>) -> Known {
        let Some(context) = context else { return Known::new() };
        let (known, trouble) = self.kept.given.known(&self.event.session, context);
        if let Some(cause) = trouble {
            self.note(format!("what was recalled before is not known: {cause}"));
        }
        known
    }

    /// Gives this to the context. It is noted before it is given: once too few is better than twice.
    pub(super) fn give(&mut self, context: Option<&ContextId>, recalled: Assembled) {
        if let Some(context) = context
            && let Err(cause) = self.kept.given.add(&self.event.session, context, &recalled.cited)
        {
            self.note(format!("what was recalled could not be noted, so it may be recalled again: {cause}"));
        }
        self.inject_recalled(recalled.markdown);
    }
}
