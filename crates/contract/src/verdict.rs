//! The verdict of a hook. An enum, so that nothing can be both allowed and denied.

use crate::approval_question::ApprovalPrompt;

/// A hook's verdict. The order of the variants is the order of strength: deny beats ask beats allow.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Verdict {
    /// No opinion.
    #[default]
    Abstain,
    /// Let it pass. That does not override another hook's ask or deny. It skips the agent's own permission check
    /// only if the hook has `may_allow`.
    Allow {
        /// Why.
        reason: Option<String>,
    },
    /// A person shall decide.
    Ask(ApprovalPrompt),
    /// It must not happen. At `orchestrator:complete`: the agent must go on.
    Deny {
        /// Why; the agent reads it.
        reason: String,
    },
}

impl Verdict {
    /// The word used in records and messages.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Abstain => "abstain",
            Self::Allow { .. } => "allow",
            Self::Ask(_) => "ask",
            Self::Deny { .. } => "deny",
        }
    }
}
