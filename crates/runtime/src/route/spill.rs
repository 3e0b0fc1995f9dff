//! More context than an agent takes at once is kept in a file, and the agent is told where.

use tenter_contract::{Abilities, Level, Limits, Message, Outcome};
use tenter_kernel::spills;

use crate::Runtime;
use crate::fitting::tell;

impl Runtime {
    /// Keeps all of it, if it is too much. If that fails, the agent gets the beginnings alone and the user is
    /// told why.
    pub(crate) fn spill(
        &self,
        mut outcome: Outcome,
        abilities: &Abilities,
        limits: &Limits,
    ) -> (Outcome, Option<String>) {
        let Some(text) = spills(&outcome, abilities, limits) else { return (outcome, None) };
        match self.sessions.keep_context(&outcome.event.session, &text) {
            Ok(path) => (outcome, Some(path)),
            Err(trouble) => {
                tell(&mut outcome, Message { text: trouble.to_string(), level: Level::Error });
                (outcome, None)
            }
        }
    }
}
