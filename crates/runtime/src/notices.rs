//! What the user must be told besides what hooks say.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{Abilities, Effect, Level, Message, Outcome, Source};

use crate::Runtime;

impl Runtime {
    /// Adds the problems of the hook files, once per session and again whenever they change: a hook that is
    /// off because of a typo is a guard that is off.
    pub(crate) fn with_notices(&self, mut outcome: Outcome, abilities: &Abilities) -> Outcome {
        if self.problems.is_empty() || !abilities.message.possible() {
            return outcome;
        }
        let mut hasher = DefaultHasher::new();
        self.problems.hash(&mut hasher);
        let what = format!("told about problems {:016x}", hasher.finish());
        let told_before =
            matches!(self.sessions.claim(&outcome.event.session, &what), Ok(ClaimOutcome::Taken));
        if !told_before {
            let count = self.problems.len();
            let text = format!(
                "{count} problem{} in your hook files; `tenter hooks list` shows which hooks are off\n{}",
                if count == 1 { "" } else { "s" },
                self.problems.join("\n")
            );
            outcome.effects.push((Source::Tenter, Effect::Tell(Message { text, level: Level::Error })));
        }
        outcome
    }
}
