//! Limits how often in a row hooks can deny the stop of an agent.

use tenter_contract::ports::{ClaimOutcome, StateError};
use tenter_contract::{Capabilities, Decision, Diagnostics, Outcome, SessionClaim, StopLoop};
use tenter_kernel::allow_stop;

use super::SessionService;

impl SessionService {
    /// Lets an agent stop whose stop was denied too often in a row, and names the hook that denied it. One claim
    /// counts one denied stop; the first stop of a turn releases them. If nothing can be counted, one is the limit.
    pub(crate) fn limit_stops(
        &self,
        outcome: Outcome,
        capabilities: &Capabilities,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        let may_deny_stop = match capabilities.stop_loop {
            StopLoop::Theirs | StopLoop::EndsAfter(_) => true,
            StopLoop::Spent => false,
            StopLoop::NeverEnds { again } => {
                diagnostics.check(self.may_deny_stop(&outcome, again)).unwrap_or(!again)
            }
        };
        if may_deny_stop { outcome } else { allow_stop(outcome) }
    }

    #[inline(never)]
    fn may_deny_stop(&self, outcome: &Outcome, again: bool) -> Result<bool, StateError> {
        let event = &outcome.event;
        let session = event.session.as_ref();
        // A sub-agent of the same session stops by itself.
        let round = |round| SessionClaim::StopDenied { agent_id: event.agent_id.clone(), round };
        if !again {
            for number in 1..=StopLoop::ROUNDS {
                self.store.release(session, &round(number))?;
            }
        }
        if !matches!(outcome.decision, Decision::Deny { .. }) {
            return Ok(true);
        }
        for number in 1..=StopLoop::ROUNDS {
            if self.store.claim(session, &round(number))? == ClaimOutcome::Granted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
