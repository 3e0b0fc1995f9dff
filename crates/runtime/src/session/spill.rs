//! Writes context that is more than an agent takes at once to a file; the agent gets the path.

use tenter_contract::{
    Capabilities, Cause, Diagnostics, Effect, Injection, Limits, Notice, Outcome, OverLimit,
};
use tenter_kernel::{ContextRoute, context_route, is_long, overflow, point_to_file};

use super::SessionService;

impl SessionService {
    /// Writes all of the context to one file if it is too much, and returns the path. If that fails, the agent gets
    /// the beginnings alone and the user is notified.
    pub(crate) fn spill(
        &self,
        outcome: &Outcome,
        capabilities: &Capabilities,
        limits: &Limits,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let text = overflow(outcome, capabilities, limits)?;
        self.write_context_file(outcome, &text, diagnostics)
    }

    /// Writes each text above the limit to a file of its own; the agent gets its beginning and the path. A text that
    /// is deferred is written when it is delivered.
    pub(crate) fn spill_long_texts(
        &self,
        outcome: Outcome,
        capabilities: &Capabilities,
        limits: &Limits,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        let arrives =
            || matches!(context_route(&outcome, capabilities), ContextRoute::Channel | ContextRoute::Reason);
        let above = |(_, it): (_, &Injection)| is_long(it);
        if limits.over_limit != OverLimit::Spill || !outcome.injections().any(above) || !arrives() {
            return outcome;
        }
        self.write_long_texts(outcome, limits, diagnostics)
    }

    #[inline(never)]
    fn write_long_texts(
        &self,
        mut outcome: Outcome,
        limits: &Limits,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        let mut effects = std::mem::take(&mut outcome.effects);
        for (_, effect) in &mut effects {
            if let Effect::Inject(injection) = effect
                && is_long(injection)
                && let Some(path) = self.write_context_file(&outcome, &injection.whole(), diagnostics)
            {
                point_to_file(injection, &path, limits);
            }
        }
        outcome.effects = effects;
        outcome
    }

    fn write_context_file(
        &self,
        outcome: &Outcome,
        text: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        match self.store.keep_context(outcome.event.session.as_ref(), text) {
            Ok(path) => Some(path),
            Err(error) => {
                diagnostics.add(Notice::error(Cause::State(error.cause.to_string()), error.to_string()));
                None
            }
        }
    }
}
