//! Context that has no channel at its event waits for the session's next event that has one.

use tenter_contract::ports::{CarriedText, ShelfError};
use tenter_contract::{
    Abilities, Carry, ContextChannel, Decision, Effect, EventKind, Level, Message, Outcome, SessionId,
    Source, Unfit,
};

use crate::Runtime;

impl Runtime {
    /// The abilities at an event of this session. Payloads without a session share one that never ends, so
    /// that a text kept there could reach a stranger.
    pub(crate) fn in_session(session: &SessionId, abilities: Abilities) -> Abilities {
        if *session == SessionId::unknown() { Abilities { later: Carry::No, ..abilities } } else { abilities }
    }

    /// Keeps what has to wait.
    pub(crate) fn carry(&self, outcome: &Outcome, unfit: &[Unfit]) -> Result<(), ShelfError> {
        if !unfit.iter().any(|unfit| matches!(unfit, Unfit::Carried { .. })) {
            return Ok(());
        }
        let texts: Vec<CarriedText> = outcome.effects.iter().filter_map(carried).collect();
        self.sessions.carry(&outcome.event.session, &texts)
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

/// The outcome with the trouble in it.
pub fn told(mut outcome: Outcome, trouble: &ShelfError) -> Outcome {
    let told = Effect::Tell(Message { text: trouble.to_string(), level: Level::Error });
    if !outcome.effects.iter().any(|(_, effect)| *effect == told) {
        outcome.effects.push((Source::Tenter, told));
    }
    outcome
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
    channel && abilities.later.possible() && !other_meaning.contains(kind)
}
