//! `tenter audit sessions`: whose records the trail has, and what is said of a session that is not among them.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::json;
use tenter_contract::similar;
use tenter_store::audit::read::Filter;

use super::records;
use crate::arguments::AuditSessionsArguments;
use crate::commands::{Ended, json_line};
use crate::error::CliError;
use crate::listing::{columns, counted, on_one_line};
use crate::printer::Printer;

/// How many of the latest are named to somebody who named one that is not there.
const NAMED: usize = 3;

/// Lists the latest sessions, the last one first.
pub(crate) fn run(arguments: &AuditSessionsArguments, printer: &Printer) -> Ended {
    let mut sessions = latest()?;
    sessions.truncate(arguments.last);
    if arguments.json {
        printer.line(json_line(&json!({ "v": 1, "sessions": sessions })));
        return Ok(0);
    }
    if sessions.is_empty() {
        printer.line("no session is in the audit trail yet");
    }
    let rows: Vec<Vec<String>> = sessions.iter().map(Recorded::row).collect();
    for line in columns(&rows) {
        printer.line(line);
    }
    Ok(0)
}

/// Whether anything of this session is recorded; if not, that is an error which names those that are meant instead.
pub(crate) fn known(id: &str) -> Result<(), CliError> {
    let sessions = latest()?;
    if sessions.iter().any(|session| session.id == id) {
        return Ok(());
    }
    let ids = || sessions.iter().map(|session| session.id.as_str());
    // Ids are long; whoever types one types its beginning.
    let begun = || ids().find(|known| !id.is_empty() && known.starts_with(id));
    Err(CliError::UnknownSession {
        id: id.to_owned(),
        suggestion: similar::nearest(id, ids()).or_else(begun).map(str::to_owned),
        latest: ids().take(NAMED).map(str::to_owned).collect(),
    })
}

/// Why there is no event of this session: it is not known at all, or only other things of it are recorded.
pub(crate) fn without_event(id: &str) -> CliError {
    known(id).err().unwrap_or_else(|| CliError::NoEvent { session: Some(id.to_owned()) })
}

/// What the trail has of a session.
#[derive(Serialize)]
struct Recorded {
    id: String,
    agent: String,
    /// How many events hooks were asked about.
    events: u64,
    /// When the first and the last of its records were written.
    first: String,
    last: String,
    project: Option<String>,
}

impl Recorded {
    fn row(&self) -> Vec<String> {
        let moment = self.last.split_once('.').map_or(self.last.as_str(), |(second, _)| second);
        vec![
            moment.trim_end_matches('Z').replace('T', " "),
            on_one_line(&self.id),
            on_one_line(&self.agent),
            counted(self.events, "event"),
            on_one_line(self.project.as_deref().unwrap_or("")),
        ]
    }
}

/// All sessions of the trail, the one with the last record first.
fn latest() -> Result<Vec<Recorded>, CliError> {
    let mut all: HashMap<String, (u64, Recorded)> = HashMap::new();
    for record in records(Filter::default())? {
        let record = record?;
        // What a person changes (trust, rules) belongs to no session.
        if record.session_id.is_empty() {
            continue;
        }
        let (last, session) = all.entry(record.session_id.clone()).or_insert_with(|| {
            let session = Recorded {
                id: record.session_id,
                agent: record.agent,
                events: 0,
                first: record.timestamp.clone(),
                last: String::new(),
                project: None,
            };
            (0, session)
        });
        *last = record.seq;
        session.events += u64::from(record.decision.is_some());
        session.project = record.project_root.or(record.cwd).or(session.project.take());
        session.last = record.timestamp;
    }
    let mut all: Vec<(u64, Recorded)> = all.into_values().collect();
    all.sort_by_key(|(last, _)| std::cmp::Reverse(*last));
    Ok(all.into_iter().map(|(_, session)| session).collect())
}
