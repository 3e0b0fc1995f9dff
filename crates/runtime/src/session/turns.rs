//! begin: starts a turn or a context window, and finds the turn of an event: the one that the agent names, else the one that tenter counts.
//!
//! A turn begins with a prompt of the user. An empty prompt, the prompt of a sub-agent, and prompts that an agent sends
//! itself (after a background task, or because a hook denied the stop) begin none. Turns are counted only if a hook or a
//! budget needs them.

use tenter_contract::ports::{ClaimOutcome, CountOp, StateError};
use tenter_contract::{
    Decision, Diagnostics, Event, EventKind, Once, Outcome, SessionClaim, SessionCounter, TurnId,
};

use super::SessionService;
use crate::ActiveHooks;
use crate::event_context::EventContext;

impl SessionService {
    /// Before the hooks run: a prompt begins the next turn, a compaction another context.
    pub(crate) fn begin(&self, cx: &mut EventContext<'_>) {
        let EventContext { event, hooks, diagnostics, .. } = cx;
        self.begin_context(event, diagnostics);
        let own_prompt = event.is_users_prompt()
            && event.turn.is_none()
            && event.agent_type.is_none()
            && event.parent.is_none();
        if own_prompt && self.counts_turns(event, hooks) {
            diagnostics.check(self.next_turn(event));
        }
    }

    #[inline(never)]
    fn next_turn(&self, event: &Event) -> Result<(), StateError> {
        let session = event.session.as_ref();
        let before = self.store.claim(session, &SessionClaim::KeptGoing)?;
        self.store.release(session, &SessionClaim::KeptGoing)?;
        match before {
            ClaimOutcome::Taken => Ok(()),
            ClaimOutcome::Granted => {
                self.store.count(session, &SessionCounter::Turns, CountOp::Increment).map(drop)
            }
        }
    }

    /// After the hooks have run: an agent whose stop was denied continues within its turn, any other has ended it.
    pub(crate) fn end_turn(&self, outcome: &Outcome, hooks: &ActiveHooks, diagnostics: &mut Diagnostics) {
        let event = &outcome.event;
        if event.kind != EventKind::OrchestratorComplete || event.turn.is_some() {
            return;
        }
        if !self.counts_turns(event, hooks) {
            return;
        }
        let session = event.session.as_ref();
        diagnostics.check(if matches!(outcome.decision, Decision::Deny { .. }) {
            self.store.claim(session, &SessionClaim::KeptGoing).map(drop)
        } else {
            self.store.release(session, &SessionClaim::KeptGoing)
        });
    }

    /// Whether a hook runs once per turn, or a budget was used before.
    #[inline(never)]
    fn counts_turns(&self, event: &Event, hooks: &ActiveHooks) -> bool {
        hooks.registry.list().any(|(_, hook)| hook.once == Once::Turn)
            || event.session.as_ref().is_some_and(|session| self.store.has_ledger(session).unwrap_or(false))
    }

    /// The turn of an event.
    pub(crate) fn turn(&self, event: &Event) -> Result<TurnId, StateError> {
        match &event.turn {
            Some(turn) => Ok(TurnId::Agent(turn.clone())),
            None => self
                .store
                .count(event.session.as_ref(), &SessionCounter::Turns, CountOp::Read)
                .map(TurnId::Counted),
        }
    }
}
