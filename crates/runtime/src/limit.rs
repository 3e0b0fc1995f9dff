//! limit: ends stop loops, adds deferred texts and notices, and keeps injections within the budgets.

use tenter_contract::Outcome;

use crate::Runtime;
use crate::adapted::add_message;
use crate::event_context::EventContext;
use crate::session::{LimitedOutcome, problem_notice, repeated_notices};

impl Runtime {
    pub(crate) fn limit(&self, cx: &mut EventContext<'_>, outcome: Outcome) -> LimitedOutcome {
        let EventContext { hooks, capabilities, diagnostics, .. } = cx;
        let outcome = self.sessions.limit_stops(outcome, capabilities, diagnostics);
        self.sessions.end_turn(&outcome, hooks, diagnostics);
        self.record_settled_requests(&outcome.event, diagnostics);
        let mut outcome = self.sessions.add_deferred(outcome, capabilities, diagnostics);
        self.publish(cx, &mut outcome);
        self.sessions.limit_injections(outcome, &cx.hooks, &cx.capabilities, &mut cx.diagnostics)
    }

    /// Adds the notices so far to the outcome.
    fn publish(&self, cx: &mut EventContext<'_>, outcome: &mut Outcome) {
        let EventContext { hooks, capabilities, diagnostics, .. } = cx;
        let problems = problem_notice(hooks, outcome, capabilities);
        let cause = problems.as_ref().map(|notice| notice.cause.clone());
        if let Some(notice) = problems {
            diagnostics.add(notice);
        }
        for message in self.sessions.due_notices(diagnostics, outcome, capabilities) {
            add_message(outcome, message);
        }
        // The list of problems names the old versions too.
        let named = cause.is_some_and(|cause| diagnostics.is_published(&cause));
        for notice in repeated_notices(hooks, outcome, named) {
            diagnostics.add(notice);
        }
        for message in self.sessions.due_notices(diagnostics, outcome, capabilities) {
            add_message(outcome, message);
        }
    }
}
