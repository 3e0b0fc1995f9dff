//! Context without a channel at its event waits for the session's next event that has one, and so does the output of
//! background hooks.

use tenter_contract::ports::{Deferred, DeferredText, Wanted};
use tenter_contract::{
    Capabilities, Cause, ContextChannel, Decision, Degradation, Diagnostics, Effect, EventKind, Notice,
    Outcome, Source, Support,
};

use super::SessionService;
use crate::adapted::AdaptedOutcome;

impl SessionService {
    /// Keeps texts for a later event. If that fails, the agent gets no promise of them, and the user is notified.
    pub(crate) fn defer(&self, adapted: AdaptedOutcome, diagnostics: &mut Diagnostics) -> AdaptedOutcome {
        if !adapted.degraded.iter().any(|degraded| matches!(degraded, Degradation::Deferred { .. })) {
            return adapted;
        }
        self.keep_for_later(adapted, diagnostics)
    }

    #[inline(never)]
    fn keep_for_later(&self, mut adapted: AdaptedOutcome, diagnostics: &mut Diagnostics) -> AdaptedOutcome {
        let texts: Vec<Deferred> = adapted.outcome.effects.iter().filter_map(deferred).collect();
        let Some(session) = &adapted.outcome.event.session else { return adapted };
        match self.store.defer(session, &texts) {
            Ok(()) => adapted,
            Err(error) => {
                diagnostics.add(Notice::error(Cause::State(error.cause.to_string()), error.to_string()));
                adapted.capabilities.later = Support::No;
                adapted.readapt()
            }
        }
    }

    /// Puts deferred texts before the output of this event's hooks, each once.
    pub(crate) fn add_deferred(
        &self,
        mut outcome: Outcome,
        capabilities: &Capabilities,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        let Some(wanted) = wanted(&outcome, capabilities) else { return outcome };
        let event = &outcome.event;
        let Some(session) = &event.session else { return outcome };
        let texts = diagnostics.check(self.store.take_deferred(session, wanted, event.at));
        if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
            prepend(&mut outcome.effects, texts);
        }
        outcome
    }
}

#[inline(never)]
fn prepend(effects: &mut Vec<(Source, Effect)>, texts: Vec<Deferred>) {
    let mut before: Vec<(Source, Effect)> = Vec::new();
    for Deferred { by, text } in texts {
        let text = match text {
            DeferredText::Context(injection) => (by, Effect::Inject(injection)),
            DeferredText::Message(message) => (by, Effect::Notify(message)),
        };
        if !before.contains(&text) && !effects.contains(&text) {
            before.push(text);
        }
    }
    effects.splice(0..0, before);
}

fn deferred((by, effect): &(Source, Effect)) -> Option<Deferred> {
    match effect {
        Effect::Inject(injection) => {
            Some(Deferred { by: by.clone(), text: DeferredText::Context(injection.clone()) })
        }
        _ => None,
    }
}

/// The deferred texts that this event supports. The model must read them as context: text at the end of a turn makes
/// an agent continue, text before a compaction changes its summary, and a sub-agent is another reader. Messages for the
/// user are shown at the end of a turn too, because the next event may be far away.
fn wanted(outcome: &Outcome, capabilities: &Capabilities) -> Option<Wanted> {
    if outcome.delivered_first.is_some() || !capabilities.later.possible() {
        return None;
    }
    match &outcome.event.kind {
        EventKind::OrchestratorComplete => capabilities.message.possible().then_some(Wanted::Messages),
        EventKind::SubagentStart | EventKind::SubagentComplete => None,
        _ => {
            let channel = match capabilities.context {
                ContextChannel::Always => true,
                ContextChannel::UnlessDenied => !matches!(outcome.decision, Decision::Deny { .. }),
                ContextChannel::WholeAnswer | ContextChannel::None => false,
            };
            channel.then_some(Wanted::Everything)
        }
    }
}
