//! The sessions in the audit trail.

use std::collections::HashMap;

use serde::Serialize;
use tenter_contract::similar;
use tenter_store::audit::read::Filter;

use crate::error::CliError;
use crate::listing::{counted, on_one_line};
use crate::trail::records;

/// The number of latest sessions in the error about an unknown one.
const NAMED: usize = 3;

/// Fails if the trail has no record of this session. The error suggests others.
pub(crate) fn known(id: &str) -> Result<(), CliError> {
    let sessions = latest()?;
    if sessions.iter().any(|session| session.id == id) {
        return Ok(());
    }
    let ids = || sessions.iter().map(|session| session.id.as_str());
    // Users type the beginning of a long id.
    let begun = || ids().find(|known| !id.is_empty() && known.starts_with(id));
    Err(CliError::unknown_session(
        id.to_owned(),
        similar::nearest(id, ids()).or_else(begun).map(str::to_owned),
        &ids().take(NAMED).map(str::to_owned).collect::<Vec<_>>(),
    ))
}

/// The error for a session without events: it is unknown, or has only other records.
pub(crate) fn without_event(id: &str) -> CliError {
    known(id).err().unwrap_or_else(|| CliError::no_event(Some(id.to_owned())))
}

#[derive(Serialize)]
pub(crate) struct RecordedSession {
    pub(crate) id: String,
    pub(crate) agent: String,
    /// The number of events that hooks were asked about.
    pub(crate) events: u64,
    /// The times of its first and last record.
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) project: Option<String>,
}

impl RecordedSession {
    pub(crate) fn row(&self) -> Vec<String> {
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
pub(crate) fn latest() -> Result<Vec<RecordedSession>, CliError> {
    let mut all: HashMap<String, (u64, RecordedSession)> = HashMap::new();
    for record in records(Filter::default())? {
        let record = record?;
        // Changes by a person (trust, rules) have no session.
        if record.session_id.is_empty() {
            continue;
        }
        let (last, session) = all.entry(record.session_id.clone()).or_insert_with(|| {
            let session = RecordedSession {
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
    let mut all: Vec<(u64, RecordedSession)> = all.into_values().collect();
    all.sort_by_key(|(last, _)| std::cmp::Reverse(*last));
    Ok(all.into_iter().map(|(_, session)| session).collect())
}
