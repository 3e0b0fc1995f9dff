//! The sessions in the audit trail.

use std::collections::HashMap;

use serde::Serialize;
use tenter_contract::similar;
use tenter_store::audit::read::Filter;

use crate::error::CliError;
use crate::listing::{counted, on_one_line};
use crate::trail::records;

/// How many of the latest are named to a user who named one that is not there.
const NAMED: usize = 3;

/// Whether anything of this session is recorded; if not, that is an error which names those that are meant instead.
pub(crate) fn known(id: &str) -> Result<(), CliError> {
    let sessions = latest()?;
    if sessions.iter().any(|session| session.id == id) {
        return Ok(());
    }
    let ids = || sessions.iter().map(|session| session.id.as_str());
    // Ids are long; anyone who types one types its beginning.
    let begun = || ids().find(|known| !id.is_empty() && known.starts_with(id));
    Err(CliError::unknown_session(
        id.to_owned(),
        similar::nearest(id, ids()).or_else(begun).map(str::to_owned),
        &ids().take(NAMED).map(str::to_owned).collect::<Vec<_>>(),
    ))
}

/// Why there is no event of this session: it is not known at all, or only other things of it are recorded.
pub(crate) fn without_event(id: &str) -> CliError {
    known(id).err().unwrap_or_else(|| CliError::no_event(Some(id.to_owned())))
}

#[derive(Serialize)]
pub(crate) struct RecordedSession {
    pub(crate) id: String,
    pub(crate) agent: String,
    /// How many events hooks were asked about.
    pub(crate) events: u64,
    /// When the first and the last of its records were written.
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
        // What a person changes (trust, rules) belongs to no session.
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
