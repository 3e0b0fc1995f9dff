//! What can go wrong with questions and answers: what happened, and what to type next.

use std::fmt;

use strum::{IntoStaticStr, VariantNames};
use tenter_contract::ports::ShelfError;

use crate::error::exit;
use crate::listing::visible;

/// An expected error.
#[derive(Debug, IntoStaticStr, VariantNames)]
pub(crate) enum ApprovalError {
    /// A question that is not open.
    UnknownQuestion { id: String },
    /// A question that has ended.
    Over { id: String, how: String, stands: bool },
    /// A question that was open a moment ago.
    TooLate { id: String, why: &'static str },
    /// An answer that the question does not offer.
    NoSuchOption { id: String, option: String, options: Vec<String> },
    /// Neither a grant nor a rule.
    NothingStands { id: String },
    /// The folder cannot be used.
    Folder(ShelfError),
}

impl ApprovalError {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::TooLate { .. } | Self::Over { .. } => exit::FINDING,
            Self::UnknownQuestion { .. } | Self::NoSuchOption { .. } | Self::NothingStands { .. } => {
                exit::USAGE
            }
            Self::Folder(_) => exit::INTERNAL,
        }
    }

    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::UnknownQuestion { .. } => {
                "`tenter approvals list` shows those that are open; others were answered or timed out"
                    .to_owned()
            }
            Self::Over { id, stands: true, .. } => {
                format!("type `tenter approvals revoke {id}` to take back what was granted")
            }
            Self::Over { stands: false, .. } => {
                "the first answer counts; `tenter approvals list` shows what is open and what stands"
                    .to_owned()
            }
            Self::TooLate { .. } => "nothing was granted; the agent asks again if it tries again".to_owned(),
            Self::NoSuchOption { id, options, .. } => {
                let typed = options.iter().map(|option| crate::listing::typed(option));
                let typed: Vec<String> =
                    typed.map(|option| format!("`tenter approvals answer {id} {option}`")).collect();
                format!("write {}", typed.join(" or "))
            }
            Self::NothingStands { .. } => "`tenter approvals list` has the ids of what stands".to_owned(),
            Self::Folder(_) => "check the owner of the folder and the free space on its disk".to_owned(),
        }
    }
}

impl fmt::Display for ApprovalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownQuestion { id } => write!(f, "there is no open question `{}`", visible(id)),
            Self::Over { id, how, .. } => write!(f, "question {id} is over: {how}"),
            Self::TooLate { id, why } => write!(f, "the answer to {id} came too late: {why}"),
            Self::NoSuchOption { id, option, .. } => {
                write!(f, "question {id} has no option `{}`", visible(option))
            }
            Self::NothingStands { id } => write!(f, "there is no grant and no rule `{}`", visible(id)),
            Self::Folder(error) => write!(f, "`{}` cannot be used: {}", error.path, error.cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::CliError;

    #[test]
    fn every_error_says_what_happened_and_what_to_type_next() {
        let id = || "k7q2mf3a".to_owned();
        let all = [
            ApprovalError::UnknownQuestion { id: id() },
            ApprovalError::Over { id: id(), how: "granted: Allow always".to_owned(), stands: true },
            ApprovalError::Over { id: id(), how: "denied: Deny".to_owned(), stands: false },
            ApprovalError::TooLate { id: id(), why: "whoever asked is not running any more" },
            ApprovalError::NoSuchOption {
                id: id(),
                option: "yes".to_owned(),
                options: vec!["Allow once".to_owned(), "Deny".to_owned()],
            },
            ApprovalError::NothingStands { id: id() },
            ApprovalError::Folder(ShelfError {
                path: "approvals".to_owned(),
                cause: std::io::ErrorKind::StorageFull.into(),
            }),
        ];
        let shown: BTreeSet<&str> = all.iter().map(Into::into).collect();
        assert_eq!(shown, ApprovalError::VARIANTS.iter().copied().collect(), "an error has no snapshot");
        let text = all.map(CliError::Approval).map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
