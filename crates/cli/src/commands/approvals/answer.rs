//! `tenter approvals answer`.

use serde_json::json;
use tenter_contract::Grants;
use tenter_contract::ports::ShelfError;
use tenter_store::ApprovalFolder;
use tenter_store::approvals::{Chosen, NotAnswered};
use tenter_store::audit::read::Filter;

use super::super::{Ended, audit, json_line};
use super::{ApprovalError, folder, register, withdraw_orphans};
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
        NotAnswered::Unknown => match ended(register, id)? {
            Some(over) => over,
            None => ApprovalError::UnknownQuestion { id: id.to_owned() },
        },
        NotAnswered::Answered { option } => {
            let how = format!("`{}` was chosen", visible(&option));
            ApprovalError::Over { id: id.to_owned(), how, stands: false }
        }
        NotAnswered::TooLate => match ended(register, id)? {
            Some(over) => over,
            None => ApprovalError::TooLate { id: id.to_owned(), why: "its time was up" },
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

/// How a question ended that is not open any more, if the trail tells.
fn ended(register: &ApprovalFolder, id: &str) -> Result<Option<ApprovalError>, CliError> {
    let mut how = None;
    for record in audit::records(Filter::default())? {
        let approval = record?.approval.filter(|approval| approval.id.as_deref() == Some(id));
        how = approval.and_then(|approval| approval.decision).or(how);
    }
    let Some(how) = how else { return Ok(None) };
    let stands = register.grants().map_err(folder)?.iter().any(|grant| grant.id == id);
    Ok(Some(ApprovalError::Over { id: id.to_owned(), how: on_one_line(&visible(&how)), stands }))
}

/// What an answer came to.
pub(super) fn in_words(chosen: &Chosen) -> String {
    let Chosen { choice, inquiry, taken } = chosen;
    let (id, label) = (&inquiry.id, visible(&choice.label));
    let came_to = match inquiry.covers(choice.grants) {
        Some(covers) => {
            let tool = inquiry.event.tool.as_ref().map(|tool| tool.name.as_str());
            let covered = on_one_line(&visible(&covers.in_full(tool)));
            format!(
                "{id}: allowed until the session ends ({label}): {covered}; `tenter approvals revoke {id}` takes it back"
            )
        }
        None if choice.grants == Grants::Nothing => format!("{id}: denied ({label})"),
        None => format!("{id}: allowed once ({label})"),
    };
    // Who is stopped or asleep takes an answer that came in time when it goes on.
    let pending = if *taken { "" } else { "; whoever asked has not taken it yet" };
    came_to + pending
}
