//! Reads the audit trail.

pub(crate) mod deliveries;
pub(crate) mod sessions;
pub(crate) mod words;

use clap::ValueEnum;
use tenter_protocol::v1::record::RecordV1;
use tenter_store::StateFolder;
use tenter_store::audit::read::{Content, Filter, read};
use tenter_store::audit::verify::verify;

use crate::arguments::{RecordArguments, WhichRecord};
use crate::error::CliError;
use crate::event_data;
use crate::places::state;
use crate::printer::{Printer, Tone};

/// Events of records that hooks cannot be asked about.
const NO_EVENTS: [&str; 14] = [
    "approval:withdrawn",
    "approval:unknown",
    "approval:rule_made",
    "approval:rule_revoked",
    "approval:grant_revoked",
    "trust:granted",
    "trust:revoked",
    "hook:disabled",
    "hook:enabled",
    "hook:file_accepted",
    "profile:chosen",
    "hook:background",
    "agent:undecodable",
    "trail:lost",
];

pub(crate) fn filter(records: &RecordArguments) -> Result<Filter, CliError> {
    let event = |spelling: &String| match spelling.as_str() {
        no_event if NO_EVENTS.contains(&no_event) => Ok(no_event.to_owned()),
        spelling => event_data::event_kind(spelling).map(|kind| kind.to_string()),
    };
    Ok(Filter {
        session: records.session.clone(),
        event: records.event.as_ref().map(event).transpose()?,
        hook: records.hook.clone(),
        tool: records.tool.clone(),
        verdict: records.verdict.and_then(|it| it.to_possible_value()).map(|it| it.get_name().to_owned()),
        asked: records.asked,
        failed: records.failed,
        since: records.since,
        until: records.until,
        last: None,
    })
}

/// The matching records in the order in which they were written. Other lines are skipped: `audit show` and `verify`
/// report them.
pub(crate) fn records(filter: Filter) -> Result<impl Iterator<Item = Result<RecordV1, CliError>>, CliError> {
    records_in(&state()?, filter)
}

pub(crate) fn records_in(
    state: &StateFolder,
    filter: Filter,
) -> Result<impl Iterator<Item = Result<RecordV1, CliError>> + use<>, CliError> {
    Ok(read(state, filter)?.filter_map(|entry| match entry.map(|entry| entry.content) {
        Ok(Content::Record(record)) => Some(Ok(*record)),
        Ok(Content::Foreign(_) | Content::Unreadable { .. }) => None,
        Err(error) => Some(Err(CliError::from(error))),
    }))
}

pub(crate) fn find(which: WhichRecord, session: Option<&str>) -> Result<RecordV1, CliError> {
    let filter = Filter { session: session.map(str::to_owned), ..Filter::default() };
    let mut found = None;
    for record in records(filter)? {
        let record = record?;
        match which {
            WhichRecord::Number(seq) if record.seq == seq => return Ok(record),
            WhichRecord::Last if record.decision.is_some() => found = Some(record),
            WhichRecord::Number(_) | WhichRecord::Last => {}
        }
    }
    if let Some(found) = found {
        return Ok(found);
    }
    session.map_or(Ok(()), sessions::known)?;
    let session = session.map(str::to_owned);
    Err(match which {
        WhichRecord::Number(seq) => CliError::unknown_record(seq, session),
        WhichRecord::Last => CliError::no_event(session),
    })
}

/// Warns below the output if the trail was changed, so that a forged record is not taken for a fact.
pub(crate) fn warn_if_broken(state: &StateFolder, printer: &Printer) {
    if !verify(state).map_or(true, |verification| verification.is_sound()) {
        let text = "warning: the trail was changed; run `tenter audit verify` to find the first bad record";
        printer.line(printer.tone(Tone::Bad, text));
    }
}
