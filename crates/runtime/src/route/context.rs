//! Context that has no channel at its event waits for the session's next event that has one.

use tenter_contract::ports::{CarriedText, ShelfError};
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
    pub(crate) fn carry(&self, mut fitting: Fitting) -> Fitting {
        if !fitting.unfit.iter().any(|unfit| matches!(unfit, Unfit::Carried { .. })) {
            return fitting;
        }
        let texts: Vec<CarriedText> = fitting.outcome.effects.iter().filter_map(carried).collect();
        match self.sessions.carry(&fitting.outcome.event.session, &texts) {
            Ok(()) => fitting,
            Err(trouble) => {
                fitting.abilities.later = Carry::No;
                fitting.told(vec![Message { text: trouble.to_string(), level: Level::Error }])
            }
        }
    }

    /// Puts what has waited before what the hooks of this event say. A text that several events have said is
    /// put there once.
    pub(crate) fn with_carried(
        &self,
        mut outcome: Outcome,
        trouble: &mut Option<ShelfError>,
        abilities: &Abilities,
    ) -> Outcome {
        if !takes_carried(&outcome, abilities) {
            return outcome;
        }
        match self.sessions.take_carried(&outcome.event.session) {
            Ok(texts) => {
                let mut before: Vec<(Source, Effect)> = Vec::new();
                for CarriedText { by, injection } in texts {
                    let text = (by, Effect::Inject(injection));
                    if !before.contains(&text) && !outcome.effects.contains(&text) {
                        before.push(text);
                    }
                }
                outcome.effects.splice(0..0, before);
            }
            Err(error) => {
                trouble.get_or_insert(error);
            }
        }
        outcome
    }
}

fn carried((by, effect): &(Source, Effect)) -> Option<CarriedText> {
    match effect {
        Effect::Inject(injection) => Some(CarriedText { by: by.clone(), injection: injection.clone() }),
        Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput => None,
    }
}

/// Whether the model reads what is put into this event's context, as context. Text at the end of a turn makes
/// an agent go on, text before a compaction changes its summary, and a subagent is someone else.
fn takes_carried(outcome: &Outcome, abilities: &Abilities) -> bool {
    let kind = &outcome.event.kind;
    let other_meaning =
        [EventKind::OrchestratorComplete, EventKind::SubagentStart, EventKind::SubagentComplete];
    let channel = match abilities.context {
        ContextChannel::Beside => true,
        ContextChannel::UnlessDenied => !matches!(outcome.decision, Decision::Deny { .. }),
        ContextChannel::WholeAnswer | ContextChannel::None => false,
    };
    let first = outcome.delivered_first.is_none();
    first && channel && abilities.later.possible() && !other_meaning.contains(kind)
}
