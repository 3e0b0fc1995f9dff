//! A test or build run that tenter saw while an entry was active.

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;

use crate::entry::Entry;
use crate::words::Status;

/// The result of a run, the evidence for a gold entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSeen {
    /// The entry that was active.
    pub entry: String,
    /// The `iteration_count` of the entry at that time.
    pub iteration: u32,
    /// The end of the run.
    #[serde(with = "crate::moment")]
    pub seen_at: Timestamp,
    /// The runner, such as `pytest`.
    pub runner: String,
    /// Whether it passed.
    pub passed: bool,
    /// The closing line.
    pub summary: String,
    /// What it proves about the prediction, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<Status>,
}

impl RunSeen {
    pub(crate) fn is_about(&self, entry: &Entry) -> bool {
        self.entry == entry.id && self.iteration == entry.iteration_count && self.says.is_some()
    }
}
