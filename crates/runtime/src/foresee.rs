//! Before stop 3: what a session remembers of a hook, and what would follow from it. Looked at without a trace, for
//! people who ask why; under the same names as when the hook runs.

use std::num::NonZeroU32;

use tenter_contract::ports::{Mark, ShelfError};
use tenter_contract::{Event, HookSpec, Once};

use crate::Runtime;
use crate::switched_off::switched_off;

/// What a session says about running a hook that its event concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreseen {
    /// Somebody has switched it off there, and how to take that back.
    SwitchedOff(String),
    /// `every`: so many events that concern it have come.
    Every {
        /// At the last of so many it runs.
        of: NonZeroU32,
        /// How many came before this one.
        before: u64,
    },
    /// `once`: whether it has run.
    Once {
        /// `session` or `turn`.
        period: &'static str,
        /// It has.
        ran: bool,
    },
    /// `cache`: whether its answer to this event is kept, so that it is given without a run.
    Cached(bool),
    /// Nobody can say, and then it runs.
    Unknown(String),
}

impl Foreseen {
    /// Whether the hook is asked, as far as this has a say.
    pub fn runs(&self) -> bool {
        match self {
            Self::SwitchedOff(_) => false,
            Self::Every { of, before } => has_its_turn(*of, before + 1),
            Self::Once { ran, .. } => !ran,
            Self::Cached(_) | Self::Unknown(_) => true,
        }
    }
}

impl Runtime {
    /// What would be found if the event came now.
    pub fn foresee(&self, hook: &HookSpec, event: &Event) -> Vec<Foreseen> {
        let mut all = Vec::new();
        let unknown = |error: ShelfError| Foreseen::Unknown(error.to_string());
        if let Some(tenter_contract::Said::Skipped { why }) =
            switched_off(&*self.sessions, hook, event).map(|report| report.said)
        {
            all.push(Foreseen::SwitchedOff(why));
        }
        if let Some(of) = hook.every {
            let counted = self.sessions.tally(&event.session, &events_of(hook), Mark::Look);
            all.push(counted.map_or_else(unknown, |before| Foreseen::Every { of, before }));
        }
        if let Some(period) = hook.once.as_str() {
            let claimed =
                self.run_of(hook, event).and_then(|what| self.sessions.claimed(&event.session, &what));
            all.push(claimed.map_or_else(unknown, |ran| Foreseen::Once { period, ran }));
        }
        if hook.cache.is_some() {
            all.push(Foreseen::Cached(self.is_kept(hook, event)));
        }
        all
    }

    /// Under which name a session remembers that a hook with `once` has run.
    pub(crate) fn run_of(&self, hook: &HookSpec, event: &Event) -> Result<String, ShelfError> {
        let address = hook.id.address();
        match hook.once {
            Once::Unlimited | Once::Session => Ok(match self.generation(&event.session)? {
                0 => format!("once {address}"),
                context => format!("once {address} in context {context}"),
            }),
            Once::Turn => Ok(format!("once {address} in turn {}", self.turn_of(event)?)),
        }
    }
}

/// Under which name a session counts the events of a hook with `every`.
pub(crate) fn events_of(hook: &HookSpec) -> String {
    format!("every {}", hook.id.address())
}

/// Whether a hook with `every` runs at the event of this number.
pub(crate) fn has_its_turn(every: NonZeroU32, number: u64) -> bool {
    number.is_multiple_of(u64::from(every.get()))
}
