//! evaluate: matches and runs hooks, folds their replies and asks a person, once per call.
//!
//! One call may reach us by several routes: entries in two settings files, or an agent that reads the settings of
//! another. Its hooks run once, and every request gets their decision. Only a call with an id that concerns a hook is
//! checked, so that an event without a matching hook costs nothing. If the check fails, the hooks run: running them
//! twice is safer than never.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::DuplicateCheck;
use tenter_contract::{Capabilities, Diagnostics, Event, EventKind, Outcome};
use tenter_kernel::{Step, apply_shared_decision, begin, shared_decision};

use crate::call_identity::identify;
use crate::event_context::{EventContext, Sink};
use crate::{ActiveHooks, Runtime};

/// How long a request waits for another one about the same call if the command names no time. Agents wait as long.
const DUPLICATE_WAIT: Duration = Duration::from_mins(10);

impl Runtime {
    pub(crate) fn evaluate(&self, cx: &mut EventContext<'_>) -> Outcome {
        let EventContext { event, hooks, capabilities, diagnostics, sink, .. } = cx;
        let event = Arc::clone(event);
        match sink {
            Sink::Agent => self.decide_once(event, hooks, capabilities, diagnostics),
            Sink::Host(_) => self.decide(event, hooks, capabilities, diagnostics),
        }
    }

    /// Runs the hooks, unless another request about the same call has done so.
    ///
    /// If the time is up while another process still runs them, they run here too. None of them has time left, so each
    /// fails as its `on_failure` says, and no guard is silently off.
    fn decide_once(
        &self,
        event: Arc<Event>,
        hooks: &ActiveHooks,
        capabilities: &Capabilities,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        if event.kind == EventKind::SessionEnd
            && let Some(outcome) = self.start_in_background(&event, hooks)
        {
            return outcome;
        }
        let step = begin(event, &hooks.registry, capabilities);
        let Step::RunHooks { event, .. } = &step else { return self.run_steps(step, hooks, diagnostics) };
        let Some((session, call)) = identify(event, hooks, self.sessions.outer_hook.as_ref()) else {
            return self.run_steps(step, hooks, diagnostics);
        };
        let until = self.deadline.unwrap_or_else(|| Instant::now() + DUPLICATE_WAIT);
        match diagnostics.check(self.sessions.store.check_duplicate(&session, &call, until)) {
            Some(DuplicateCheck::Again(decision)) => apply_shared_decision(Arc::clone(event), decision),
            Some(DuplicateCheck::Unsettled) | None => self.run_steps(step, hooks, diagnostics),
            Some(DuplicateCheck::First(lock)) => {
                let outcome = self.run_steps(step, hooks, diagnostics);
                diagnostics.check(lock.publish(&shared_decision(&outcome)));
                outcome
            }
        }
    }

    /// Runs every hook that the event concerns.
    pub fn decide(
        &self,
        event: Arc<Event>,
        hooks: &ActiveHooks,
        capabilities: &Capabilities,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        let _progress = self.runner.report_progress(&event, hooks);
        self.run_steps(begin(event, &hooks.registry, capabilities), hooks, diagnostics)
    }

    /// Runs the kernel's steps until it finishes.
    fn run_steps(&self, mut step: Step, hooks: &ActiveHooks, diagnostics: &mut Diagnostics) -> Outcome {
        loop {
            step = match step {
                Step::RunHooks { event, invocations, then } => {
                    then.resume(self.run_context().run_hooks(&event, &invocations))
                }
                Step::GatherFacts { event, then } => {
                    then.resume(self.catalog.facts_of(hooks.for_event(&event), &event))
                }
                Step::AskHuman { event, question, host, then } => {
                    then.resume(self.ask(&event, question, host, hooks, diagnostics))
                }
                Step::Finish(outcome) => {
                    self.runner.executors.iter().for_each(|executor| executor.end_event());
                    return *outcome;
                }
            };
        }
    }
}
