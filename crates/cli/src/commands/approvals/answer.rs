//! `tenter approvals answer`.

use serde_json::json;
use tenter_contract::Grant;
use tenter_contract::ports::StateError;
use tenter_store::ApprovalFolder;
use tenter_store::approvals::{Chosen, NotAnswered};
use tenter_store::audit::read::Filter;

use crate::approvals::{error, register, withdraw_orphans};
use crate::arguments::ApprovalsAnswerArguments;
use crate::error::{CliError, CommandResult};
use crate::listing::{on_one_line, visible};
use crate::printer::{Printer, json_line};
use crate::trail;

pub(crate) fn run(arguments: &ApprovalsAnswerArguments, printer: &Printer) -> CommandResult {
    let register = register()?;
    let answered = answered(&register, &arguments.id, &arguments.option);
    withdraw_orphans(&register)?;
    let chosen = answered?;
    if arguments.json {
        let granted = chosen.choice.grants != Grant::Nothing;
        printer.line(json_line(&json!({
            "id": arguments.id, "option": chosen.choice.label, "granted": granted,
        })));
    } else {
        printer.line(in_words(&chosen));
    }
    Ok(0)
}

/// Answers a question, or returns why the answer does not count.
pub(crate) fn answered(register: &ApprovalFolder, id: &str, option: &str) -> Result<Chosen, CliError> {
    let error = match register.answer(id, option) {
        Ok(chosen) => return Ok(chosen),
        Err(error) => error,
    };
    Err(match error {
        NotAnswered::Unknown => ended(register, id)?.unwrap_or_else(|| error::unknown_question(id)),
        NotAnswered::Answered { option } => {
            let how = format!("`{}` was chosen", visible(&option));
            error::question_closed(id, how, false)
        }
        NotAnswered::TooLate => {
            ended(register, id)?.unwrap_or_else(|| error::answer_too_late(id, "the question timed out"))
        }
        NotAnswered::OwnerDied => error::answer_too_late(id, "the process that asked has ended"),
        NotAnswered::NoSuchOption { options } => error::unknown_option(
            id,
            option,
            &options.iter().map(|option| visible(&option.label)).collect::<Vec<_>>(),
        ),
        NotAnswered::Unusable(cause) => {
            CliError::from(StateError { path: register.path().display().to_string(), cause })
        }
    })
}

/// The error for a question that has ended, if the trail has a record of it.
fn ended(register: &ApprovalFolder, id: &str) -> Result<Option<CliError>, CliError> {
    let mut how = None;
    for record in trail::records(Filter::default())? {
        let approval = record?.approval.filter(|approval| approval.id.as_deref() == Some(id));
        how = approval.and_then(|approval| approval.decision).or(how);
    }
    let Some(how) = how else { return Ok(None) };
    let granted = register.grants()?.iter().any(|grant| grant.id == id);
    Ok(Some(error::question_closed(id, on_one_line(&visible(&how)), granted)))
}

pub(crate) fn in_words(chosen: &Chosen) -> String {
    let Chosen { choice, request, taken } = chosen;
    let (id, label) = (&request.id, visible(&choice.label));
    let result = match request.scope(choice.grants) {
        Some(covers) => {
            let tool = request.event.tool.as_ref().map(|tool| tool.name.as_str());
            let covered = on_one_line(&visible(&covers.description(tool)));
            format!(
                "{id}: allowed until the session ends ({label}): {covered}; run `tenter approvals revoke {id}` to revoke it"
            )
        }
        None if choice.grants == Grant::Nothing => format!("{id}: denied ({label})"),
        None => format!("{id}: allowed once ({label})"),
    };
    // A stopped process reads the answer when it continues.
    let pending = if *taken { "" } else { "; the process that asked has not read it yet" };
    result + pending
}
