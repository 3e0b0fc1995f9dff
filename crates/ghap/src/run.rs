//! A test or build run that tenter saw while an entry was active.

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;

use crate::entry::Entry;
use crate::words::Status;

/// What came out of a run; the proof behind a gold entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSeen {
    /// The entry that was active.
    pub entry: String,
    /// Which of its predictions was then: its `iteration_count`.
    pub iteration: u32,
    /// When it ended.
    #[serde(with = "crate::moment")]
    pub seen_at: Timestamp,
    /// What ran, such as `pytest`.
    pub runner: String,
    /// Whether it went well.
    pub passed: bool,
    /// What it stated about itself, in a line.
    pub summary: String,
    /// What it says about the prediction; none if it cannot be compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<Status>,
}

impl RunSeen {
    pub(crate) fn is_about(&self, entry: &Entry) -> bool {
        self.entry == entry.id && self.iteration == entry.iteration_count && self.says.is_some()
    }
}
