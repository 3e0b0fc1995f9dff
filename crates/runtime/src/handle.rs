//! The pipeline of an event, on one screen.
//!
//! ```text
//! payload ─▶ receive ─▶ begin ─▶ evaluate ─▶ limit ─▶ adapt ─▶ commit ─▶ record ─▶ respond ─▶ response
//! ```
//!
//! The host finds the sender and decodes the payload. `receive` finds the project and the active hooks, and starts the
//! full binary if this build cannot run them; until then nothing has happened. Agents and programs that embed tenter
//! share the pipeline and differ in the sink.

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

    /// Handles an event of a program that supports all effects.
    pub fn emit(&self, event: Event) -> Handled {
        self.emit_with(event, Capabilities::EVERYTHING, |outcome| outcome)
    }

    /// Handles an event of a program that supports these capabilities and applies the outcome with `apply`.
    pub fn emit_with(
        &self,
        event: Event,
        capabilities: Capabilities,
        mut apply: impl FnMut(Outcome) -> Outcome,
    ) -> Handled {
        let context = self.receive_from_host(event, capabilities, Sink::Host(&mut apply), Instant::now());
        self.handle(context).into_handled()
    }

    /// Runs the stages in order. No stage calls another one.
    fn handle(&self, mut cx: EventContext<'_>) -> AdaptedOutcome {
        // begin: a prompt starts a turn, a compaction starts a new context window.
        self.sessions.begin(&mut cx);

        // evaluate: match and run hooks, fold their replies, ask a person; duplicate requests share one decision.
        let outcome = self.evaluate(&mut cx);

        // limit: end stop loops, add deferred texts and notices, keep injections within the budgets.
        let limited = self.limit(&mut cx, outcome);

        // adapt: replace what the agent does not support by a safe alternative, and name it.
        let adapted = self.adapt(&mut cx, limited);

        // commit: keep deferred texts for the next event, write the ledger.
        let adapted = self.commit(&mut cx, adapted);

        // record: write the audit records before the response leaves.
        self.record(cx, adapted)
    }
}
