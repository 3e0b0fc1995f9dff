//! The trail as the runtime sees it.

use std::sync::{Mutex, PoisonError};

use tenter_contract::RecordBody;
use tenter_contract::ports::{AuditTrail, TrailError};
use tenter_protocol::v1::record::RecordV1;

use super::files::AuditFiles;
use super::writer::Writer;
use crate::StateFolder;

/// The trail of a state folder. Making one touches nothing, and nothing stays open between two appends: a
/// program that lives for one event has no use for it, and one that lives long must not hold the lock.
#[derive(Debug)]
pub struct TrailFile {
    files: AuditFiles,
    notices: Mutex<Vec<String>>,
}

impl TrailFile {
    /// The trail in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self { files: AuditFiles::new(state), notices: Mutex::new(Vec::new()) }
    }

    fn notice(&self, notice: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }
}

impl AuditTrail for TrailFile {
    /// Of no records, the first has the number 0, and nothing is touched.
    fn append(&self, records: &[RecordBody]) -> Result<u64, TrailError> {
        if records.is_empty() {
            return Ok(0);
        }
        // Everything but the place in the chain is put together before the lock is taken.
        let mut drafts: Vec<RecordV1> = records.iter().map(|body| RecordV1::from_body(0, "", body)).collect();
        let (mut writer, notice) = Writer::open(&self.files)?;
        if let Some(notice) = notice {
            self.notice(notice);
        }
        writer.append(drafts.iter_mut().map(|draft| {
            move |seq: u64, prev: &str| {
                draft.seq = seq;
                prev.clone_into(&mut draft.prev);
                serde_json::to_vec(draft)
            }
        }))
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
