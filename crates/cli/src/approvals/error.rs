//! Errors about questions, answers and grants.

use std::fmt::Display;

use tenter_contract::ports::StateError;

use crate::error::CliError;
use crate::listing::{typed, visible};

impl CliError {
    pub(crate) fn unknown_question(id: &str) -> Self {
        Self::usage(
            format!("no open question has the id `{}`", visible(id)),
            "run `tenter approvals list` to see open questions; others were answered or timed out",
        )
    }

    /// The question has ended; `granted` if its answer still grants something.
    pub(crate) fn question_closed(id: &str, how: impl Display, granted: bool) -> Self {
        let hint = if granted {
            format!("run `tenter approvals revoke {id}` to revoke the grant")
        } else {
            "the first answer counts; run `tenter approvals list` to see open questions and grants".to_owned()
        };
        Self::finding(format!("question {id} is closed: {how}"), hint)
    }

    pub(crate) fn answer_too_late(id: &str, why: &str) -> Self {
        Self::finding(
            format!("the answer to {id} came too late: {why}"),
            "nothing was granted; the agent asks again if it tries again",
        )
    }

    pub(crate) fn unknown_option(id: &str, option: &str, options: &[String]) -> Self {
        let commands: Vec<String> = options
            .iter()
            .map(|option| format!("`tenter approvals answer {id} {}`", typed(option)))
            .collect();
        Self::usage(
            format!("question {id} has no option `{}`", visible(option)),
            format!("run {}", commands.join(" or ")),
        )
    }

    pub(crate) fn unknown_grant(id: &str) -> Self {
        Self::usage(
            format!("no grant and no rule has the id `{}`", visible(id)),
            "run `tenter approvals list` to see the ids",
        )
    }
}

impl From<StateError> for CliError {
    fn from(error: StateError) -> Self {
        Self::internal(
            format!("`{}` cannot be used: {}", error.path, error.cause),
            "check the owner of the folder and the free space on its disk",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approval_errors_have_message_and_hint() {
        let id = "k7q2mf3a";
        let all = [
            CliError::unknown_question(id),
            CliError::question_closed(id, "granted: Allow always", true),
            CliError::question_closed(id, "denied: Deny", false),
            CliError::answer_too_late(id, "the process that asked has ended"),
            CliError::unknown_option(id, "yes", &["Allow once".to_owned(), "Deny".to_owned()]),
            CliError::unknown_grant(id),
            CliError::from(StateError {
                path: "approvals".to_owned(),
                cause: std::io::ErrorKind::StorageFull.into(),
            }),
        ];
        let text = all.map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
