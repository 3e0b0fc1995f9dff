//! `tenter approvals`: questions to you, and answers that stand.

mod answer;
mod error;
mod list;
pub(super) mod records;
pub(super) mod rules;
pub(crate) mod watch;

use tenter_contract::ports::{ApprovalRegister, AuditTrail, ShelfError};
use tenter_contract::{ApprovalRecord, ApprovalStep, Inquiry, RecordBody, Timestamp};
use tenter_store::approvals::OpenQuestion;
use tenter_store::audit::redact;
use tenter_store::{ApprovalFolder, TrailFile};

pub(crate) use error::ApprovalError;

use super::{Ended, change, state};
use crate::arguments::ApprovalsCommand;
use crate::error::CliError;
use crate::printer::{self, Printer};

/// Runs one of them.
pub(crate) fn run(command: &ApprovalsCommand, printer: &Printer) -> Ended {
    match command {
        ApprovalsCommand::List(arguments) => list::run(arguments, printer),
        ApprovalsCommand::Watch(arguments) => watch::run(arguments, printer),
        ApprovalsCommand::Answer(arguments) => answer::run(arguments, printer),
        ApprovalsCommand::Allow(arguments) => rules::make(arguments, tenter_contract::Policy::Allow, printer),
        ApprovalsCommand::Deny(arguments) => rules::make(arguments, tenter_contract::Policy::Deny, printer),
        ApprovalsCommand::Revoke(arguments) => rules::revoke(arguments, printer),
    }
}

fn register() -> Result<ApprovalFolder, CliError> {
    Ok(ApprovalFolder::new(&state()?))
}

/// What is wrong with the folder.
fn folder(error: ShelfError) -> CliError {
    CliError::Approval(ApprovalError::Folder(error))
}

/// Every question that can be answered now.
fn open_questions(register: &ApprovalFolder) -> Result<Vec<OpenQuestion>, CliError> {
    let path = || register.path().display().to_string();
    register.open_questions().map_err(|cause| folder(ShelfError { path: path(), cause }))
}

/// Whoever looks withdraws the questions of those who have died, and records that.
pub(super) fn withdraw_orphans(register: &ApprovalFolder) -> Result<(), CliError> {
    let trail = TrailFile::new(&state()?).hiding(redact::secret_values(std::env::vars_os()));
    let mut record = |inquiry: &Inquiry, why: &str| {
        let step = ApprovalStep::Withdrawn { why: why.to_owned() };
        let record = ApprovalRecord { inquiry: inquiry.clone(), at: change::now(), step };
        match trail.append(&[RecordBody::Approval(Box::new(record))]) {
            Ok(_) => true,
            Err(error) => {
                printer::write_error(&format!("warning: {error}\n"));
                false
            }
        }
    };
    register.withdraw_orphans(&mut record).map_err(folder)
}

/// `0:42 left`.
fn left(inquiry: &Inquiry, now: Timestamp) -> String {
    let seconds = inquiry.until.unix_ms.saturating_sub(now.unix_ms).div_ceil(1000);
    format!("{}:{:02} left", seconds / 60, seconds % 60)
}
