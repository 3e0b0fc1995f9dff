//! `tenter approvals answer`.

use serde_json::json;
use tenter_contract::Grants;
use tenter_contract::ports::ShelfError;
use tenter_store::ApprovalFolder;
use tenter_store::approvals::{Chosen, NotAnswered};

use super::super::{Ended, json_line};
use super::{ApprovalError, register, withdraw_orphans};
use crate::arguments::ApprovalsAnswerArguments;
use crate::error::CliError;
use crate::listing::{on_one_line, visible};
use crate::printer::Printer;

/// Answers one question.
pub(super) fn run(arguments: &ApprovalsAnswerArguments, printer: &Printer) -> Ended {
    let register = register()?;
    let answered = answered(&register, &arguments.id, &arguments.option);
    withdraw_orphans(&register)?;
    let chosen = answered?;
    if arguments.json {
        let granted = chosen.choice.grants != Grants::Nothing;
        printer.line(json_line(&json!({
            "id": arguments.id, "option": chosen.choice.label, "granted": granted,
        })));
    } else {
        printer.line(in_words(&chosen));
    }
    Ok(0)
}

/// Answers, or says why that does not count.
pub(super) fn answered(register: &ApprovalFolder, id: &str, option: &str) -> Result<Chosen, CliError> {
    let error = match register.answer(id, option) {
        Ok(chosen) => return Ok(chosen),
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
pub(super) fn in_words(chosen: &Chosen) -> String {
    let Chosen { choice, inquiry } = chosen;
    let (id, label) = (&inquiry.id, visible(&choice.label));
    match inquiry.covers(choice.grants) {
        Some(covers) => {
            let tool = inquiry.event.tool.as_ref().map(|tool| tool.name.as_str());
            let covered = on_one_line(&visible(&covers.in_full(tool)));
            format!(
                "{id}: allowed until the session ends ({label}): {covered}; `tenter approvals revoke {id}` takes it back"
            )
        }
        None if choice.grants == Grants::Nothing => format!("{id}: denied ({label})"),
        None => format!("{id}: allowed once ({label})"),
    }
}
