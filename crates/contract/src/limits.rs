//! How much text hooks may put into an agent's context, and what happens to more.

use crate::spelling::spelled;

/// The active limits: `limits` of the hook files, all layers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// The most bytes of one injected text. Exactly this many pass.
    pub injection_bytes: usize,
    /// What hooks may spend in one turn.
    pub turn_tokens: u64,
    /// What memory may spend in one turn, apart from the other hooks.
    pub memory_tokens: u64,
    /// What all of them may spend in one session.
    pub session_tokens: u64,
    /// What happens to a text above the limit.
    pub over_limit: OverLimit,
    /// What happens to a text above a budget.
    pub over_budget: OverBudget,
}

/// The most bytes of one injected text, if no hook file says otherwise.
pub const INJECTION_LIMIT: usize = 10_240;

impl Default for Limits {
    fn default() -> Self {
        Self {
            injection_bytes: INJECTION_LIMIT,
            turn_tokens: 1000,
            memory_tokens: 2000,
            session_tokens: 50_000,
            over_limit: OverLimit::Reject,
            over_budget: OverBudget::Warn,
        }
    }
}

impl Limits {
    /// What may be spent from a category in one turn.
    pub fn turn_limit(&self, category: BudgetCategory) -> u64 {
        match category {
            BudgetCategory::Hooks => self.turn_tokens,
            BudgetCategory::Memory => self.memory_tokens,
        }
    }
}

spelled! {
    /// What happens to a text above the limit. The later ones let more of it through.
    #[derive(Default, PartialOrd, Ord)]
    pub enum OverLimit {
        /// Nothing of it is injected, and the user is notified.
        #[default]
        Reject = "reject",
        /// Its beginning is injected.
        Truncate = "truncate",
        /// Its beginning is injected, with the path of a file that has all of it.
        Spill = "spill",
    }

    /// What happens to a text if the budget has no tokens left. The later one lets more through.
    #[derive(Default, PartialOrd, Ord)]
    pub enum OverBudget {
        /// It is left out: of the texts of one event those of the lowest priority first.
        Enforce = "enforce",
        /// It is injected, and the user is notified once per turn.
        #[default]
        Warn = "warn",
    }

    /// The budget that a text uses.
    #[derive(Default, PartialOrd, Ord, Hash)]
    pub enum BudgetCategory {
        /// That of hooks.
        #[default]
        Hooks = "hooks",
        /// That of memory, so that memory does not displace the findings of linters.
        Memory = "memory",
    }
}

impl BudgetCategory {
    /// The key of what may be spent from it in a turn.
    pub fn limit_key(self) -> &'static str {
        match self {
            Self::Hooks => "turn_tokens",
            Self::Memory => "memory_tokens",
        }
    }
}

/// Estimates the tokens of a text, for records and budgets. A runtime can have its own.
pub type TokenEstimate = fn(&str) -> u64;

/// A quarter of the bytes, rounded up.
pub fn quarter_of_bytes(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}
