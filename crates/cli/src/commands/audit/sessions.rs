//! `tenter audit sessions`.

use serde_json::json;

use crate::arguments::AuditSessionsArguments;
use crate::error::CommandResult;
use crate::printer::Printer;
use crate::trail::sessions::{RecordedSession, latest};

pub(crate) fn run(arguments: &AuditSessionsArguments, printer: &Printer) -> CommandResult {
    let mut sessions = latest()?;
    sessions.truncate(arguments.last);
    if arguments.json {
        return printer.json(&json!({ "v": 1, "sessions": sessions }));
    }
    if sessions.is_empty() {
        printer.line("no session is in the audit trail yet");
    }
    let rows: Vec<Vec<String>> = sessions.iter().map(RecordedSession::row).collect();
    printer.table(&rows);
    Ok(0)
}
