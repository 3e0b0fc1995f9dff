//! `tenter approvals answer`.

use serde_json::json;
use tenter_contract::ports::ShelfError;
use tenter_contract::{Choice, Grants};
use tenter_store::ApprovalFolder;
use tenter_store::approvals::NotAnswered;

use super::super::{Ended, json_line};
use super::{ApprovalError, register, withdraw_orphans};
use crate::arguments::ApprovalsAnswerArguments;
use crate::error::CliError;
use crate::listing::visible;
use crate::printer::Printer;

/// Answers one question.
pub(super) fn run(arguments: &ApprovalsAnswerArguments, printer: &Printer) -> Ended {
    let register = register()?;
    let answered = answered(&register, &arguments.id, &arguments.option);
    withdraw_orphans(&register)?;
    let choice = answered?;
    if arguments.json {
        let granted = choice.grants != Grants::Nothing;
        printer.line(json_line(&json!({
            "id": arguments.id, "option": choice.label, "granted": granted,
        })));
    } else {
        printer.line(in_words(&arguments.id, &choice));
    }
    Ok(0)
}

/// Answers, or says why that does not count.
pub(super) fn answered(register: &ApprovalFolder, id: &str, option: &str) -> Result<Choice, CliError> {
    let error = match register.answer(id, option) {
        Ok(choice) => return Ok(choice),
        Err(why) => why,
    };
    Err(CliError::Approval(match error {
        NotAnswered::Unknown => ApprovalError::UnknownQuestion { id: id.to_owned() },
        NotAnswered::TooLate => ApprovalError::TooLate {
            id: id.to_owned(),
            why: "it was answered by somebody else, or its time was up",
        },
        NotAnswered::OwnerDied => {
            ApprovalError::TooLate { id: id.to_owned(), why: "whoever asked is not running any more" }
        }
        NotAnswered::NoSuchOption { options } => ApprovalError::NoSuchOption {
            id: id.to_owned(),
            option: option.to_owned(),
            options: options.iter().map(|option| visible(&option.label)).collect(),
        },
        NotAnswered::Unusable(cause) => {
            ApprovalError::Folder(ShelfError { path: register.path().display().to_string(), cause })
        }
    }))
}

/// What an answer came to.
pub(super) fn in_words(id: &str, choice: &Choice) -> String {
    let label = visible(&choice.label);
    match choice.grants {
        Grants::Nothing => format!("{id}: denied ({label})"),
        Grants::Once => format!("{id}: allowed once ({label})"),
        Grants::Session => format!(
            "{id}: allowed until the session ends ({label}); `tenter approvals revoke {id}` takes it back"
        ),
    }
}
