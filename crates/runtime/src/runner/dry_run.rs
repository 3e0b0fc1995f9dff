//! Reports whether a hook would run in a session, and why. Changes nothing.

use std::num::NonZeroU32;

use tenter_contract::ports::{CountOp, StateError};
use tenter_contract::{Event, HookSpec, SessionCounter};

use super::switched_off::switched_off;
use crate::Runtime;

/// What the state of a session says about running a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DryRun {
    /// The user has switched it off there; the text says how to undo that.
    SwitchedOff(String),
    /// `every`: the number of matching events so far.
    Every {
        /// The hook runs at one of this many events.
        of: NonZeroU32,
        /// How many came before this event.
        before: u64,
    },
    /// `once`: whether it has run.
    Once {
        /// `session` or `turn`.
        period: &'static str,
        /// Whether it has run.
        ran: bool,
    },
    /// `cache`: whether the reply to this event is cached.
    Cached(bool),
    /// The state cannot be read, and then the hook runs.
    Unknown(String),
}

impl DryRun {
    /// Whether the hook runs, as far as this condition decides.
    pub fn runs(&self) -> bool {
        match self {
            Self::SwitchedOff(_) => false,
            Self::Every { of, before } => runs_at(*of, before + 1),
            Self::Once { ran, .. } => !ran,
            Self::Cached(_) | Self::Unknown(_) => true,
        }
    }
}

impl Runtime {
    /// The conditions under which the hook would run if the event came now.
    pub fn dry_run(&self, hook: &HookSpec, event: &Event) -> Vec<DryRun> {
        let mut all = Vec::new();
        let context = self.run_context();
        let store = &*self.sessions.store;
        let unknown = |error: StateError| DryRun::Unknown(error.to_string());
        if let Some(tenter_contract::HookOutput::Skipped { why }) =
            switched_off(store, hook, event).map(|report| report.output)
        {
            all.push(DryRun::SwitchedOff(why));
        }
        if let Some(of) = hook.every {
            let counter = SessionCounter::HookEvents(hook.id.clone());
            let counted = store.count(event.session.as_ref(), &counter, CountOp::Read);
            all.push(counted.map_or_else(unknown, |before| DryRun::Every { of, before }));
        }
        if let Some(period) = hook.once.as_str() {
            let claimed = match &event.session {
                None => Ok(false),
                session => {
                    context.run_claim(hook, event).and_then(|claim| store.claimed(session.as_ref(), &claim))
                }
            };
            all.push(claimed.map_or_else(unknown, |ran| DryRun::Once { period, ran }));
        }
        if hook.cache.is_some() {
            all.push(DryRun::Cached(context.is_cached(hook, event)));
        }
        all
    }
}

/// Whether a hook with `every` runs at the event of this number.
pub(super) fn runs_at(every: NonZeroU32, number: u64) -> bool {
    number.is_multiple_of(u64::from(every.get()))
}
