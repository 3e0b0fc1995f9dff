//! The file format of an active entry.

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;

use crate::entry::Entry;

/// The format version. Files of later versions are left alone.
pub(super) const VERSION: u32 = 1;

/// An active entry with the state of its session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveEntry {
    pub(super) version: u32,
    /// The entry.
    pub entry: Entry,
    /// The boot id of the machine when the entry was last started or adopted; empty if unknown.
    #[serde(default)]
    pub(super) boot: String,
    /// When its session ended and left the entry to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_at_ms: Option<u64>,
}

#[derive(Debug)]
pub(super) enum Unreadable {
    Newer(u32),
    Corrupt(String),
}

impl ActiveEntry {
    pub(super) fn new(entry: Entry, boot: &str) -> Self {
        Self { version: VERSION, entry, boot: boot.to_owned(), left_at_ms: None }
    }

    /// When its session ended and left it to others.
    pub fn left_at(&self) -> Option<Timestamp> {
        self.left_at_ms.map(Timestamp::from_unix_ms)
    }

    pub(super) fn set_left_at(&mut self, moment: Option<Timestamp>) {
        self.left_at_ms = moment.map(|moment| moment.unix_ms);
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let version: Version =
            serde_json::from_slice(bytes).map_err(|cause| Unreadable::Corrupt(cause.to_string()))?;
        if version.version > VERSION {
            return Err(Unreadable::Newer(version.version));
        }
        serde_json::from_slice(bytes).map_err(|cause| Unreadable::Corrupt(cause.to_string()))
    }

    pub(super) fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
