//! The ledger of a session: injected texts, their authors and their cost in tokens.

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
    /// In which turn, as a text that no other turn of the session has.
    pub turn: String,
    /// Into which context.
    pub context: ContextId,
}

/// What one model reads from beginning to end. A compaction or a clear begins the next one; a sub-agent has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ContextId {
    /// How many contexts of the session came before this one.
    pub generation: u64,
    /// The sub-agent, if the context is one of a sub-agent.
    pub agent_id: Option<String>,
}

/// One injected text and its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Whose.
    pub by: Source,
    /// The text, with the role and place that its hook wanted.
    pub injection: Injection,
    /// The role it has in the context.
    pub role: Role,
    /// The budget that it uses.
    pub category: BudgetCategory,
    /// Its status.
    pub status: InjectionStatus,
    /// How many bytes of it the agent has received.
    pub bytes: usize,
    /// The tokens of those bytes.
    pub tokens: u64,
    /// The file that has all texts of the event, if this is one of more than the agent takes at once.
    pub spilled: Option<String>,
}

spelled! {
    /// The status of an injected text.
    #[derive(Hash)]
    pub enum InjectionStatus {
        /// The agent has the text.
        Delivered = "given",
        /// The agent has it in the reason of a deny.
        InReason = "in the reason",
        /// The user reads it with a denied prompt; no model does.
        Shown = "shown to the user",
        /// The context had it already; one line says so.
        Line = "one line",
        /// The context had it already; it was left out.
        LeftOut = "left out",
        /// It was above the limit and was rejected.
        Rejected = "rejected",
        /// It was above the limit, and the agent has its beginning.
        Truncated = "truncated",
        /// The agent has a beginning, and the path of a file with all of it.
        Spilled = "spilled",
        /// All texts together were more than the agent takes, and it has a beginning.
        Cut = "cut",
        /// The budget had no tokens left.
        OverBudget = "over budget",
        /// It waits for an event with a context channel. Until then it costs nothing.
        Deferred = "deferred",
        /// It reaches no reader.
        Undelivered = "unheard",
    }
}

impl InjectionStatus {
    /// Whether the response to the agent has a part of it.
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

    /// Whether a model reads a part of it.
    pub fn reached_model(self) -> bool {
        self.reached_agent() && self != Self::Shown
    }

    /// Whether the context has the text from now on, so that the same text is a repeat.
    pub fn is_in_context(self) -> bool {
        match self {
            Self::Delivered | Self::InReason | Self::Truncated | Self::Spilled => true,
            // The model cannot read the rest of a text that was cut.
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

/// The estimated tokens that were spent before.
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
    /// The tokens of a category in this turn.
    pub fn in_turn(&self, category: BudgetCategory) -> u64 {
        match category {
            BudgetCategory::Hooks => self.turn,
            BudgetCategory::Memory => self.memory,
        }
    }
}
