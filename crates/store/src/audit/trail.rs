//! The trail: implements the port of the runtime.

use std::io;
use std::sync::{Mutex, PoisonError};

use tenter_contract::ports::{AuditTrail, TrailError};
use tenter_contract::{Cause, Diagnostics, Notice, RecordBody};
use tenter_protocol::v1::record::RecordV1;

use super::boot::Boot;
use super::draft::Draft;
use super::files::{AuditFiles, unusable};
use super::redact::Redactor;
use super::spill;
use super::step::Step;
use super::writer::{Writer, WriterOptions};
use crate::StateFolder;

/// The default size of a full file.
const FULL_AT: u64 = 64 * 1024 * 1024;

/// The trail of a state folder. Creating a value touches no file, and no file stays open between two appends, because a
/// long-lived program must not hold the lock.
#[derive(Debug)]
pub struct TrailFile {
    files: AuditFiles,
    writer_options: WriterOptions,
    redactor: Redactor,
    notices: Mutex<Vec<String>>,
}

impl TrailFile {
    /// The trail in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self {
            files: AuditFiles::new(state),
            writer_options: WriterOptions { full_at: FULL_AT, boot: Boot::default(), watch: |_| {} },
            redactor: Redactor::default(),
            notices: Mutex::new(Vec::new()),
        }
    }

    /// Also hides these values anywhere in a record; see [`super::redact::secret_values`].
    #[must_use]
    pub fn hiding(mut self, values: impl IntoIterator<Item = String>) -> Self {
        self.redactor = Redactor::hiding(values);
        self
    }

    /// Rotates when the current file has this many bytes.
    #[must_use]
    pub fn full_at(mut self, bytes: u64) -> Self {
        self.writer_options.full_at = bytes;
        self
    }

    /// Calls a function after each step of an append, for tests that stop a process there.
    #[must_use]
    pub fn watched(mut self, watch: fn(Step)) -> Self {
        self.writer_options.watch = watch;
        self
    }

    fn write(&self, drafts: &[Draft]) -> Result<u64, TrailError> {
        let mut notices = Vec::new();
        let written = Writer::open(&self.files, &self.writer_options, &mut notices)
            .and_then(|mut writer| writer.write_lines(drafts));
        self.notice(notices);
        written
    }

    /// Spills records that cannot be written. They have no number yet, so it is 0.
    #[cold]
    fn spill(&self, drafts: &[Draft], why: TrailError) -> Result<u64, TrailError> {
        match spill::keep(&self.files, drafts, self.writer_options.watch) {
            Ok(path) => {
                let path = path.display();
                self.notice([format!(
                    "{why}; this record is spilled to `{path}`, and the next writer adds it"
                )]);
                Ok(0)
            }
            // The user can fix the first error.
            Err(_) => Err(why),
        }
    }

    fn notice(&self, notices: impl IntoIterator<Item = String>) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).extend(notices);
    }
}

impl AuditTrail for TrailFile {
    /// Without records it returns 0 and touches no file.
    fn append(&self, records: &[RecordBody], diagnostics: &mut Diagnostics) -> Result<u64, TrailError> {
        if records.is_empty() {
            return Ok(0);
        }
        // Everything but the place in the chain is serialized before the trail is locked.
        let drafts: io::Result<Vec<Draft>> =
            records.iter().map(|body| self.redactor.draft(&RecordV1::from_body(0, "", body))).collect();
        let drafts = drafts.map_err(unusable(&self.files.trail))?;
        let written = self.write(&drafts).or_else(|why| self.spill(&drafts, why));
        let notices = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        for text in notices {
            diagnostics.add(Notice::error(Cause::TrailRepaired(text.clone()), text));
        }
        written
    }
}
