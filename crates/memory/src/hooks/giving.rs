//! Injects recalled text once per context, whichever hook does it.

use tenter_contract::ports::CountOp;
use tenter_contract::{ContextId, SessionCounter};

use super::call::HookCall;
use crate::context::{Assembled, ContextRequest, Delivered, Depth, Occasion};
use crate::error::MemoryError;

impl HookCall<'_> {
    /// The context of the event; none without a session.
    pub(super) fn context(&mut self) -> Option<ContextId> {
        if !self.has_session() {
            return None;
        }
        let generation = self.services.sessions.count(
            self.event.session.as_ref(),
            &SessionCounter::Contexts,
            CountOp::Read,
        );
        // If the count is unknown, a text is still injected only once.
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

    /// Injects what memory has for a query, within a budget.
    pub(super) fn recall(&mut self, query: &str, depth: Depth, budget: usize) -> Result<(), MemoryError> {
        let context = self.context();
        let request = ContextRequest {
            max_tokens: self.within(budget),
            known: self.known(context.as_ref()),
            occasion: Occasion::Unasked,
            ..ContextRequest::new(query, depth, self.scope())
        };
        let recalled = self.services.memory.assemble_context(&request)?;
        self.inject_once(context.as_ref(), recalled);
        Ok(())
    }

    /// Injects recalled text and notes it in the delivery log.
    pub(super) fn inject_once(&mut self, context: Option<&ContextId>, recalled: Assembled) {
        if let Some(context) = context
            && let Err(cause) =
                self.services.delivery_log.add(&self.event.session_or_shared(), context, &recalled.cited)
        {
            self.note(format!("what was recalled could not be noted, so it may be recalled again: {cause}"));
        }
        self.inject_recalled(recalled.markdown);
    }
}
