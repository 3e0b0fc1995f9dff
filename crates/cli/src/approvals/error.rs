//! Errors about questions, answers and grants.

use std::fmt::Display;

use crate::error::CliError;
use crate::listing::{typed, visible};

pub(crate) fn unknown_question(id: &str) -> CliError {
    CliError::usage(
        format!("no open question has the id `{}`", visible(id)),
        "run `tenter approvals list` to see open questions; others were answered or timed out",
    )
}

/// The question has ended; `granted` if its answer still grants something.
pub(crate) fn question_closed(id: &str, how: impl Display, granted: bool) -> CliError {
    let hint = if granted {
        format!("run `tenter approvals revoke {id}` to revoke the grant")
    } else {
        "the first answer counts; run `tenter approvals list` to see open questions and grants".to_owned()
    };
    CliError::finding(format!("question {id} is closed: {how}"), hint)
}

pub(crate) fn answer_too_late(id: &str, why: &str) -> CliError {
    CliError::finding(
        format!("the answer to {id} came too late: {why}"),
        "nothing was granted; the agent asks again if it tries again",
    )
}

pub(crate) fn unknown_option(id: &str, option: &str, options: &[String]) -> CliError {
    let commands: Vec<String> =
        options.iter().map(|option| format!("`tenter approvals answer {id} {}`", typed(option))).collect();
    CliError::usage(
        format!("question {id} has no option `{}`", visible(option)),
        format!("run {}", commands.join(" or ")),
    )
}

pub(crate) fn unknown_grant(id: &str) -> CliError {
    CliError::usage(
        format!("no grant and no rule has the id `{}`", visible(id)),
        "run `tenter approvals list` to see the ids",
    )
}

#[cfg(test)]
mod tests {
    use tenter_contract::ports::StateError;

    use super::*;

    #[test]
    fn approval_errors_have_message_and_hint() {
        let id = "k7q2mf3a";
        let all = [
            unknown_question(id),
            question_closed(id, "granted: Allow always", true),
            question_closed(id, "denied: Deny", false),
            answer_too_late(id, "the process that asked has ended"),
            unknown_option(id, "yes", &["Allow once".to_owned(), "Deny".to_owned()]),
            unknown_grant(id),
            CliError::from(StateError {
                path: "approvals".to_owned(),
                cause: std::io::ErrorKind::StorageFull.into(),
            }),
        ];
        let text = all.map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
