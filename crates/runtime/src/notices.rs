//! What the user must be told besides what hooks say.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tenter_contract::ports::{ClaimOutcome, ShelfError};
use tenter_contract::{Abilities, Effect, Level, Message, Outcome, SessionId, Source};

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
        let mut tell =
            |text, level| outcome.effects.push((Source::Tenter, Effect::Tell(Message { text, level })));
        if let Some(trouble) = trouble {
            tell(trouble.to_string(), Level::Error);
        }
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
        }
        outcome
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
