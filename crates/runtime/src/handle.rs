//! The whole way of an event, on one screen.
//!
//! ```text
//! payload ─▶ receive ─▶ begin ─▶ evaluate ─▶ limit ─▶ adapt ─▶ commit ─▶ record ─▶ respond ─▶ response
//! ```
//!
//! The host resolves the sender and decodes the payload. `receive` resolves the project and the active hooks, and
//! whether the full binary must run, before anything has happened. `handle` is the pipeline for agents and for programs that embed tenter; they differ in the
//! sink.

use std::time::Instant;

use tenter_contract::{Answer, Capabilities, Event, Outcome};

use crate::adapted::{AdaptedOutcome, Handled};
use crate::event_context::{EventContext, Sink};
use crate::receive::Request;
use crate::{Runtime, respond};

impl Runtime {
    /// Answers the request of an agent.
    pub fn answer(&self, request: Request<'_>) -> Answer {
        let (agent, payload) = (request.agent, request.payload);
        match self.receive(request) {
            Ok(context) => respond::to_agent(&self.handle(context), agent, payload),
            Err(answer) => answer,
        }
    }

    /// Handles an event of a program that supports everything itself.
    pub fn emit(&self, event: Event) -> Handled {
        self.emit_with(event, Capabilities::EVERYTHING, |outcome| outcome)
    }

    /// The same for a program that places the outcome itself.
    pub fn emit_with(
        &self,
        event: Event,
        capabilities: Capabilities,
        mut place: impl FnMut(Outcome) -> Outcome,
    ) -> Handled {
        let context = self.receive_from_host(event, capabilities, Sink::Host(&mut place), Instant::now());
        self.handle(context).into_handled()
    }

    /// The pipeline. Stages do not call each other, and none looks back.
    fn handle(&self, mut cx: EventContext<'_>) -> AdaptedOutcome {
        // begin: a prompt starts a turn, a compaction starts a new context window.
        self.sessions.begin(&mut cx);

        // evaluate: match and run hooks, fold their replies, ask a person; duplicate requests share one decision.
        let outcome = self.evaluate(&mut cx);

        // limit: end stop loops, add deferred texts and notices, keep injections within the budgets.
        let limited = self.limit(&mut cx, outcome);

        // adapt: what the agent does not support becomes a safe alternative, and is named.
        let adapted = self.adapt(&mut cx, limited);

        // commit: keep deferred texts for the next event, write the ledger.
        let adapted = self.commit(&mut cx, adapted);

        // record: no response leaves before its record is written.
        self.record(cx, adapted)
    }
}
