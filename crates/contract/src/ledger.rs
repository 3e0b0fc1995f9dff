//! What was put into a session's context, by whom, and what it cost. The ledger of the session keeps it.

use crate::outcome::Source;
use crate::spelling::spelled;
use crate::{BudgetCategory, EventKind, Injection, Role, Timestamp};

/// Where in a session a text is injected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// At which event.
    pub event: EventKind,
    /// In which turn, in words that no other turn of the session has.
    pub turn: String,
    /// Into which context.
    pub context: ContextId,
}

/// What one model reads from beginning to end. A compaction or a clear begins another one, and a sub-agent has
/// one of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ContextId {
    /// How often the context of the session was begun anew.
    pub generation: u64,
    /// The sub-agent, if it is one's.
    pub agent_id: Option<String>,
}

/// One injected text, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Whose.
    pub by: Source,
    /// The text as it was to be given, and what was wanted for it.
    pub injection: Injection,
    /// The role it has in the context.
    pub role: Role,
    /// From which budget it is paid.
    pub category: BudgetCategory,
    /// What became of it.
    pub status: InjectionStatus,
    /// How many bytes of it the agent has received.
    pub bytes: usize,
    /// What those cost.
    pub tokens: u64,
    /// The file that has all texts of the event, if this is one of more than the agent takes at once.
    pub spilled: Option<String>,
}

spelled! {
    /// What became of an injected text.
    #[derive(Hash)]
    pub enum InjectionStatus {
        /// The agent has it.
        Delivered = "given",
        /// The agent has it in the reason of a deny.
        InReason = "in the reason",
        /// It stands beside a denied prompt: the user reads it, and no model ever does.
        Shown = "shown to the user",
        /// It was there before: one line says so.
        Line = "one line",
        /// It was there before, and was left out.
        LeftOut = "left out",
        /// It was above the limit, and nothing of it was given.
        Rejected = "rejected",
        /// It was above the limit, and the agent has its beginning.
        Truncated = "truncated",
        /// The agent has a beginning, and the path of a file with all of it.
        Spilled = "spilled",
        /// All texts together were more than the agent takes, and it has a beginning.
        Cut = "cut",
        /// Nothing was left in the budget.
        OverBudget = "over budget",
        /// It waits for an event that can carry it. Until then nothing is paid.
        Deferred = "deferred",
        /// It reaches nobody.
        Undelivered = "unheard",
    }
}

impl InjectionStatus {
    /// Whether something of it stands in the answer to the agent.
    pub fn reached_agent(self) -> bool {
        match self {
            Self::Delivered
            | Self::InReason
            | Self::Shown
            | Self::Line
            | Self::Truncated
            | Self::Spilled
            | Self::Cut => true,
            Self::LeftOut | Self::Rejected | Self::OverBudget | Self::Deferred | Self::Undelivered => false,
        }
    }

    /// Whether a model reads something of it.
    pub fn reached_model(self) -> bool {
        self.reached_agent() && self != Self::Shown
    }

    /// Whether the context has the text from now on, so that the same text is a repeat.
    pub fn is_in_context(self) -> bool {
        match self {
            Self::Delivered | Self::InReason | Self::Truncated | Self::Spilled => true,
            // Of what was cut off there is no other way to read it.
            Self::Cut
            | Self::Shown
            | Self::Line
            | Self::LeftOut
            | Self::Rejected
            | Self::OverBudget
            | Self::Deferred
            | Self::Undelivered => false,
        }
    }
}

/// What was spent before, in estimated tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In this turn, by hooks.
    pub turn: u64,
    /// In this turn, by memory.
    pub memory: u64,
    /// In the session, by all.
    pub session: u64,
}

impl Spent {
    /// What was spent from a category in this turn.
    pub fn in_turn(&self, category: BudgetCategory) -> u64 {
        match category {
            BudgetCategory::Hooks => self.turn,
            BudgetCategory::Memory => self.memory,
        }
    }
}
