//! receive: finds the project and the active hooks of a payload, and starts the full binary if that one
//! must handle it. Until then nothing was claimed, run or recorded.

use std::time::Instant;

use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{Answer, Capabilities, Diagnostics, Event};

use crate::Runtime;
use crate::event_context::{EventContext, Sink};

/// A decoded payload, with the agent that sent it.
pub struct Request<'a> {
    /// The agent that sent it, which gets the response.
    pub agent: &'a dyn AgentAdapter,
    /// The payload.
    pub payload: &'a [u8],
    /// The payload as the agent's adapter decoded it.
    pub decoded: Result<Decoded, DecodeError>,
    /// When it arrived.
    pub arrived: Instant,
}

impl<'a> Request<'a> {
    /// Decodes the payload of an agent that is known.
    pub fn decode(agent: &'a dyn AgentAdapter, payload: &'a [u8], surroundings: &Surroundings) -> Self {
        let arrived = Instant::now();
        Self { agent, payload, decoded: agent.decode(payload, surroundings), arrived }
    }

    /// Adds the sub-agent from the command line, unless the payload names one.
    #[must_use]
    pub fn with_agent_id(mut self, agent_id: Option<&str>) -> Self {
        if let (Ok(Decoded::Event(event)), Some(id)) = (&mut self.decoded, agent_id) {
            event.agent_id.get_or_insert_with(|| id.to_owned());
        }
        self
    }
}

impl Runtime {
    /// Finds the project and the active hooks of a request. An `Err` is the response to a payload that is not for
    /// tenter or cannot be decoded. The process becomes the full binary here if this build cannot read or run the hooks.
    pub(crate) fn receive(&self, request: Request<'_>) -> Result<EventContext<'static>, Answer> {
        let Request { agent, payload, decoded, arrived } = request;
        let event = match decoded {
            Ok(Decoded::Event(event)) => *event,
            Ok(Decoded::NotForUs) => return Err(agent.silence()),
            Err(problem) => return Err(self.refuse_or_pass(agent, &problem.to_string(), payload)),
        };
        let mut diagnostics = Diagnostics::default();
        let mut event = self.locate(event, &mut diagnostics);
        let capabilities = agent.capabilities(&event);
        let hooks = self.catalog.hooks_for(&mut event, payload);
        self.delegate(&hooks, &event, payload);
        Ok(EventContext::new(event, hooks, capabilities, diagnostics, Sink::Agent, arrived))
    }

    /// The same for an event of a program that needs no full binary.
    pub(crate) fn receive_from_host<'a>(
        &self,
        event: Event,
        capabilities: Capabilities,
        sink: Sink<'a>,
        arrived: Instant,
    ) -> EventContext<'a> {
        let mut diagnostics = Diagnostics::default();
        let mut event = self.locate(event, &mut diagnostics);
        let hooks = self.catalog.hooks_for_host(&mut event);
        EventContext::new(event, hooks, capabilities, diagnostics, sink, arrived)
    }
}
