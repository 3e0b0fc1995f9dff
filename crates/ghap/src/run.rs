//! A test or build run that tenter saw while an entry was active.

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;

/// What came out of a run; the proof behind a gold entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSeen {
    /// The entry that was active.
    pub entry: String,
    /// Which of its predictions stood then: its `iteration_count`.
    pub iteration: u32,
    /// When it ended.
    #[serde(with = "crate::moment")]
    pub seen_at: Timestamp,
    /// What ran, such as `pytest`.
    pub runner: String,
    /// Whether it went well.
    pub passed: bool,
    /// What it said about itself, in a line.
    pub summary: String,
}
