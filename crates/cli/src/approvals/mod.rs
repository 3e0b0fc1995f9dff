//! Open questions of hooks, grants and rules, for several commands.

pub(crate) mod error;
pub(crate) mod records;
pub(crate) mod rules;

use tenter_contract::ports::{ApprovalRegister, AuditTrail, StateError};
use tenter_contract::{ApprovalRecord, ApprovalRequest, ApprovalStep, Diagnostics, RecordBody, Timestamp};
use tenter_store::approvals::OpenQuestion;
use tenter_store::audit::redact;
use tenter_store::{ApprovalFolder, TrailFile};

use crate::change_log;
use crate::error::CliError;
use crate::places::state;
use crate::printer;

pub(crate) fn register() -> Result<ApprovalFolder, CliError> {
    Ok(ApprovalFolder::new(&state()?))
}

pub(crate) fn open_questions(register: &ApprovalFolder) -> Result<Vec<OpenQuestion>, CliError> {
    let path = || register.path().display().to_string();
    Ok(register.open_questions().map_err(|cause| StateError { path: path(), cause })?)
}

/// Withdraws the questions of processes that have ended, and records it.
pub(crate) fn withdraw_orphans(register: &ApprovalFolder) -> Result<(), CliError> {
    let trail = TrailFile::new(&state()?).hiding(redact::secret_values(std::env::vars_os()));
    let mut record = |request: &ApprovalRequest, why: &str| {
        let step = ApprovalStep::Withdrawn { why: why.to_owned() };
        let record = ApprovalRecord { request: request.clone(), at: change_log::now(), step };
        match trail.append(&[RecordBody::Approval(Box::new(record))], &mut Diagnostics::default()) {
            Ok(_) => true,
            Err(error) => {
                printer::warn(&error);
                false
            }
        }
    };
    Ok(register.withdraw_orphans(&mut record)?)
}

/// `0:42 left`.
pub(crate) fn left(request: &ApprovalRequest, now: Timestamp) -> String {
    let seconds = request.until.unix_ms.saturating_sub(now.unix_ms).div_ceil(1000);
    format!("{}:{:02} left", seconds / 60, seconds % 60)
}
