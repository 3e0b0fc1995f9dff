//! What the user must be told besides what hooks say.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tenter_contract::ports::{ClaimOutcome, ShelfError};
use tenter_contract::{Abilities, Decision, Effect, EventKind, Level, Message, Outcome, SessionId, Source};

use crate::{InForce, Runtime};

impl Runtime {
    /// Adds what is wrong with the session's state, and the problems of the hook files: once per session and
    /// again whenever they change, because a hook that is off because of a typo is a guard that is off.
    pub(crate) fn with_notices(
        &self,
        mut outcome: Outcome,
        hooks: &InForce,
        trouble: Option<ShelfError>,
        abilities: &Abilities,
    ) -> Outcome {
        if let Some(told) =
            trouble.and_then(|trouble| self.of_state(trouble.to_string(), &outcome, abilities))
        {
            outcome.effects.push((Source::Tenter, Effect::Tell(told)));
        }
        let mut tell =
            |text, level| outcome.effects.push((Source::Tenter, Effect::Tell(Message { text, level })));
        let loudest = hooks.problems.iter().map(|problem| problem.level).max();
        if let Some(level) = loudest
            && abilities.message.possible()
            && outcome.delivered_first.is_none()
            && self.untold(hooks, &outcome.event.session)
        {
            let count = hooks.problems.len();
            let plural = if count == 1 { "" } else { "s" };
            let off =
                if level == Level::Error { "; `tenter hooks list` shows which hooks are off" } else { "" };
            let texts: Vec<&str> = hooks.problems.iter().map(|problem| problem.text.as_str()).collect();
            tell(format!("{count} problem{plural} in hook files{off}\n{}", texts.join("\n")), level);
        } else if !hooks.stale_files.is_empty() && matches!(outcome.decision, Decision::Deny { .. }) {
            for Message { text, level } in hooks.stale_files.iter().map(without_level) {
                tell(text, level);
            }
        }
        let event = &outcome.event;
        if event.kind == EventKind::SessionStart && event.session != SessionId::unknown() {
            let lost = hooks.lost_guards.iter().map(without_level);
            outcome.effects.extend(lost.map(|message| (Source::Tenter, Effect::Tell(message))));
        }
        outcome
    }

    /// What is told of trouble with our own state, if it is told now. It hits every event alike, so the same is told
    /// once in a session; and again when the session begins or ends, with everything that is stopped, and where nobody
    /// can note that it was told.
    #[cold]
    #[inline(never)]
    pub(crate) fn of_state(&self, text: String, outcome: &Outcome, abilities: &Abilities) -> Option<Message> {
        let event = &outcome.event;
        let stops = matches!(outcome.decision, Decision::Ask(_) | Decision::Deny { .. });
        let ends = matches!(event.kind, EventKind::SessionStart | EventKind::SessionEnd);
        // What an agent does not show is no news to anybody yet. Payloads without a session share one that never ends.
        let can_be_noted = abilities.message.possible() && event.session != SessionId::unknown();
        let taken = || {
            let claimed = self.sessions.claim_notice(&event.session, &format!("told: {text}"));
            matches!(claimed, Ok(ClaimOutcome::Taken))
        };
        let told_before = can_be_noted && taken();
        (stops || ends || !told_before).then_some(Message { text, level: Level::Error })
    }

    /// Whether these problems have not been told in this session; if nobody can say, they are told again.
    #[inline(never)]
    fn untold(&self, hooks: &InForce, session: &SessionId) -> bool {
        // Payloads without a session share one that never ends.
        if *session == SessionId::unknown() {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        hooks.problems.hash(&mut hasher);
        let what = format!("told about problems {:016x}", hasher.finish());
        !matches!(self.sessions.claim(session, &what), Ok(ClaimOutcome::Taken))
    }
}

/// A problem as a message of its own. Problems are lists of lines that begin with their level; a message is shown with
/// its level anyway.
fn without_level(problem: &Message) -> Message {
    let word = format!("{}: ", problem.level.as_str());
    let text = problem.text.strip_prefix(&word).unwrap_or(&problem.text).to_owned();
    Message { text, level: problem.level }
}
