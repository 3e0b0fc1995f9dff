//! Which turn of its session an event belongs to: what the agent says, else what we count ourselves.
//!
//! A turn begins with a prompt of the user. An empty prompt, a sub-agent's, and those an agent gives itself (the end of
//! a background task, or because we have kept it from stopping) begin none. Nothing is counted as long as nobody asks for turns.

use tenter_contract::ports::{ClaimOutcome, Mark, ShelfError};
use tenter_contract::{Decision, Event, EventKind, Once, Outcome, SessionId};

use crate::{InForce, Runtime};

/// What is counted.
const TURNS: &str = "turns";
/// What is claimed while the agent goes on because we said so.
const KEPT_GOING: &str = "kept going within its turn";

impl Runtime {
    /// Before the hooks are asked: a prompt begins the next turn, and a compaction another context.
    pub(crate) fn begin_turn(&self, event: &Event, hooks: &InForce, trouble: &mut Option<ShelfError>) {
        self.begin_context(event, trouble);
        let own_prompt = event.is_users_prompt()
            && event.turn.is_none()
            && event.agent_type.is_none()
            && event.parent.is_none();
        if own_prompt
            && self.counts_turns(event, hooks)
            && let Err(error) = self.next_turn(event)
        {
            trouble.get_or_insert(error);
        }
    }

    #[inline(never)]
    fn next_turn(&self, event: &Event) -> Result<(), ShelfError> {
        let before = self.sessions.claim(&event.session, KEPT_GOING)?;
        self.sessions.release(&event.session, KEPT_GOING)?;
        match before {
            ClaimOutcome::Taken => Ok(()),
            ClaimOutcome::Granted => self.sessions.tally(&event.session, TURNS, Mark::One).map(drop),
        }
    }

    /// After the hooks were asked: an agent that is kept from stopping goes on within its turn, and one that may
    /// stop has ended it.
    pub(crate) fn end_turn(&self, outcome: &Outcome, hooks: &InForce, trouble: &mut Option<ShelfError>) {
        let event = &outcome.event;
        if event.kind != EventKind::OrchestratorComplete || event.turn.is_some() {
            return;
        }
        if !self.counts_turns(event, hooks) {
            return;
        }
        let kept = if matches!(outcome.decision, Decision::Deny { .. }) {
            self.sessions.claim(&event.session, KEPT_GOING).map(drop)
        } else {
            self.sessions.release(&event.session, KEPT_GOING)
        };
        if let Err(error) = kept {
            trouble.get_or_insert(error);
        }
    }

    /// Whether anybody asks for turns: a hook that runs once in one, or the budget of what was injected before.
    #[inline(never)]
    fn counts_turns(&self, event: &Event, hooks: &InForce) -> bool {
        hooks.registry.list().any(|(_, hook)| hook.once == Once::Turn)
            || (event.session != SessionId::unknown()
                && self.sessions.has_ledger(&event.session).unwrap_or(false))
    }

    /// The turn an event belongs to, in words that no other turn of its session has.
    pub(crate) fn turn_of(&self, event: &Event) -> Result<String, ShelfError> {
        match &event.turn {
            Some(turn) => Ok(format!("the agent's {turn}")),
            None => {
                self.sessions.tally(&event.session, TURNS, Mark::Look).map(|number| format!("our {number}"))
            }
        }
    }
}
