//! An agent that goes on as often as it is told to is let go in the end.

use tenter_contract::ports::{ClaimOutcome, ShelfError};
use tenter_contract::{Abilities, Decision, Outcome, StopLoop};
use tenter_kernel::let_go;

use crate::Runtime;

impl Runtime {
    /// Counts how often in a row an agent was kept from stopping, if nobody else does: one claim for each
    /// time, given back when a turn stops for the first time. If nothing can be counted, once must do. One that was
    /// kept from it too often is let go, and who wanted otherwise is named.
    pub(crate) fn count_stops(
        &self,
        outcome: Outcome,
        trouble: &mut Option<ShelfError>,
        abilities: &Abilities,
    ) -> Outcome {
        let may_go_on = match abilities.stop_loop {
            StopLoop::Theirs | StopLoop::EndsAfter(_) => true,
            StopLoop::Spent => false,
            StopLoop::NeverEnds { again } => self.may_go_on(&outcome, again).unwrap_or_else(|error| {
                trouble.get_or_insert(error);
                !again
            }),
        };
        if may_go_on { outcome } else { let_go(outcome) }
    }

    #[inline(never)]
    fn may_go_on(&self, outcome: &Outcome, again: bool) -> Result<bool, ShelfError> {
        let session = &outcome.event.session;
        // A sub-agent of the same session stops by itself.
        let who = outcome.event.agent_id.as_deref().map(|id| format!("{id}: ")).unwrap_or_default();
        let rounds = || (1..=StopLoop::ROUNDS).map(|round| format!("{who}kept from stopping, time {round}"));
        if !again {
            for round in rounds() {
                self.sessions.release(session, &round)?;
            }
        }
        if !matches!(outcome.decision, Decision::Deny { .. }) {
            return Ok(true);
        }
        for round in rounds() {
            if self.sessions.claim(session, &round)? == ClaimOutcome::Granted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
