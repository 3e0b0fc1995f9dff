//! Context that has no channel at its event waits for the session's next event that has one, and so does all that
//! was said in the background.

use tenter_contract::ports::{Carried, CarriedText, ShelfError, Wanted};
use tenter_contract::{
    Abilities, Carry, ContextChannel, Decision, Effect, EventKind, Level, Message, Outcome, SessionId,
    Source, Unfit,
};

use crate::Runtime;
use crate::fitting::Fitting;

impl Runtime {
    /// The abilities at an event of this session. Payloads without a session share one that never ends, so
    /// that a text kept there could reach a stranger.
    pub(crate) fn in_session(session: &SessionId, abilities: Abilities) -> Abilities {
        if *session == SessionId::unknown() { Abilities { later: Carry::No, ..abilities } } else { abilities }
    }

    /// Keeps what has to wait. If it cannot be kept, it is not promised, and the user is told why.
    pub(crate) fn carry(&self, fitting: Fitting) -> Fitting {
        if !fitting.unfit.iter().any(|unfit| matches!(unfit, Unfit::Carried { .. })) {
            return fitting;
        }
        self.keep_for_later(fitting)
    }

    #[inline(never)]
    fn keep_for_later(&self, mut fitting: Fitting) -> Fitting {
        let texts: Vec<Carried> = fitting.outcome.effects.iter().filter_map(carried).collect();
        match self.sessions.carry(&fitting.outcome.event.session, &texts) {
            Ok(()) => fitting,
            Err(trouble) => {
                fitting.abilities.later = Carry::No;
                fitting.told(vec![Message { text: trouble.to_string(), level: Level::Error }])
            }
        }
    }

    /// Puts what has waited before what the hooks of this event say. A text that several events have said is
    /// put there once. Where nothing has waited, that costs one look.
    pub(crate) fn with_carried(
        &self,
        mut outcome: Outcome,
        trouble: &mut Option<ShelfError>,
        abilities: &Abilities,
    ) -> Outcome {
        let Some(wanted) = wanted(&outcome, abilities) else { return outcome };
        let event = &outcome.event;
        match self.sessions.take_carried(&event.session, wanted, event.at) {
            Ok(texts) if texts.is_empty() => {}
            Ok(texts) => put_before(&mut outcome.effects, texts),
            Err(error) => {
                trouble.get_or_insert(error);
            }
        }
        outcome
    }
}

#[inline(never)]
fn put_before(effects: &mut Vec<(Source, Effect)>, texts: Vec<Carried>) {
    let mut before: Vec<(Source, Effect)> = Vec::new();
    for Carried { by, text } in texts {
        let text = match text {
            CarriedText::Context(injection) => (by, Effect::Inject(injection)),
            CarriedText::Message(message) => (by, Effect::Tell(message)),
        };
        if !before.contains(&text) && !effects.contains(&text) {
            before.push(text);
        }
    }
    effects.splice(0..0, before);
}

fn carried((by, effect): &(Source, Effect)) -> Option<Carried> {
    match effect {
        Effect::Inject(injection) => {
            Some(Carried { by: by.clone(), text: CarriedText::Context(injection.clone()) })
        }
        Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => None,
    }
}

/// What this event can carry of the texts that wait. The model must read them as context: text at the end of a
/// turn makes an agent go on, text before a compaction changes its summary, and a subagent is someone else. What
/// is for the user alone is told at the end of a turn too: nothing may come after it for long.
fn wanted(outcome: &Outcome, abilities: &Abilities) -> Option<Wanted> {
    if outcome.delivered_first.is_some() || !abilities.later.possible() {
        return None;
    }
    match &outcome.event.kind {
        EventKind::OrchestratorComplete => abilities.message.possible().then_some(Wanted::Messages),
        EventKind::SubagentStart | EventKind::SubagentComplete => None,
        _ => {
            let channel = match abilities.context {
                ContextChannel::Beside => true,
                ContextChannel::UnlessDenied => !matches!(outcome.decision, Decision::Deny { .. }),
                ContextChannel::WholeAnswer | ContextChannel::None => false,
            };
            channel.then_some(Wanted::Everything)
        }
    }
}
