//! The context of one event in the pipeline.

use std::sync::Arc;
use std::time::Instant;

use tenter_contract::{Capabilities, Diagnostics, Event, Outcome, Support};

use crate::ActiveHooks;

/// An event with everything that is known before the pipeline begins, and the notices of its stages.
pub struct EventContext<'a> {
    /// The event, in its project.
    pub event: Arc<Event>,
    /// The hooks that are active there.
    pub hooks: ActiveHooks,
    /// What the sender supports at this event.
    pub capabilities: Capabilities,
    /// The notices for the user.
    pub diagnostics: Diagnostics,
    /// Where the outcome goes.
    pub sink: Sink<'a>,
    /// When the payload arrived.
    pub arrived: Instant,
}

/// Where the outcome of an event goes.
pub enum Sink<'a> {
    /// To an agent, as a response in its own format.
    Agent,
    /// To a program that embeds tenter. It applies the outcome before that is recorded, and names what it could not do.
    Host(&'a mut dyn FnMut(Outcome) -> Outcome),
}

impl<'a> EventContext<'a> {
    pub(crate) fn new(
        event: Event,
        hooks: ActiveHooks,
        capabilities: Capabilities,
        diagnostics: Diagnostics,
        sink: Sink<'a>,
        arrived: Instant,
    ) -> Self {
        // Without a session, no later event is known to belong to the same agent.
        let later = if event.session.is_none() { Support::No } else { capabilities.later };
        let event = Arc::new(event);
        Self {
            event,
            hooks,
            capabilities: Capabilities { later, ..capabilities },
            diagnostics,
            sink,
            arrived,
        }
    }
}
