//! Counts tool calls, to remind an agent of its prediction, and claims the warning about earlier failures.

use std::io::{self, Write};

use tenter_store::{open_plain, our_file, read_plain};

use super::folder::{ActiveFolder, cannot_be_written, unusable};
use crate::entry::Entry;
use crate::error::GhapError;
use crate::who::Who;

/// A tool call that the built-in counted, and a question of a script.
const COUNTED: u8 = b'.';
const ASKED: u8 = b'?';

/// A due reminder.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckIn {
    /// The entry.
    pub entry: Entry,
    /// The number of tool calls since its last revision.
    pub tools: u64,
}

impl ActiveFolder {
    /// Counts a tool call and returns the reminder if it is due. Of simultaneous calls only one returns it. Without an
    /// active entry nothing is counted.
    pub fn count_tool(&self, who: &Who, frequency: u64) -> Result<Option<CheckIn>, GhapError> {
        let name = Self::name(who);
        let path = self.file(&name, "tools");
        let mut file = match open_plain(our_file().append(true), &path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) if cannot_be_written(&cause) => return Ok(self.uncounted(&unusable(&path)(cause))),
            Err(cause) => return Err(unusable(&path)(cause)),
        };
        match file.write_all(&[COUNTED]) {
            Err(cause) if cannot_be_written(&cause) => return Ok(self.uncounted(&unusable(&path)(cause))),
            written => written.map_err(unusable(&path))?,
        }
        let due = || file.metadata().map(|metadata| metadata.len()).map(|tools| (tools >= frequency, tools));
        if !due().map_err(unusable(&path))?.0 {
            return Ok(None);
        }
        let locked = self.lock()?;
        // Another process may have reset the count.
        let (still_due, tools) = due().map_err(unusable(&path))?;
        if !still_due {
            return Ok(None);
        }
        match self.read(&name, Some(&locked))? {
            Some(active) if active.entry.outcome.is_none() => {
                file.set_len(0).map_err(unusable(&path))?;
                Ok(Some(CheckIn { entry: active.entry, tools }))
            }
            // A process stopped while it started or resolved an entry.
            _ => self.remove(&locked, &name, "tools").map(|()| None),
        }
    }

    fn uncounted(&self, error: &GhapError) -> Option<CheckIn> {
        self.notice(error.to_string());
        None
    }

    /// Whether a reminder is due, for scripts that ask at every tool call. If no built-in counts the calls, each question
    /// counts as one, and a yes resets the count.
    pub fn is_check_in_due(&self, who: &Who, frequency: u64) -> Result<bool, GhapError> {
        let path = self.file(&Self::name(who), "tools");
        let before = read_plain(&path).unwrap_or_default();
        let frequency = usize::try_from(frequency.max(1)).unwrap_or(usize::MAX);
        if self.active(who)?.is_none() {
            return Ok(false);
        }
        if before.contains(&COUNTED) {
            return Ok(before.len() >= frequency);
        }
        let mut file = match open_plain(our_file().append(true), &path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(cause) => return Err(unusable(&path)(cause)),
        };
        file.write_all(&[ASKED]).map_err(unusable(&path))?;
        let is_due = before.len() + 1 >= frequency;
        if is_due {
            file.set_len(0).map_err(unusable(&path))?;
        }
        Ok(is_due)
    }

    /// Resets the count after a revision.
    pub(super) fn reset_tools(&self, name: &str) -> Result<(), GhapError> {
        let path = self.file(name, "tools");
        let file = self.state.open_or_create(&path).map_err(unusable(&path))?;
        file.set_len(0).map_err(unusable(&path))?;
        // Truncating an empty file keeps its time, which is the last activity of the agent.
        file.set_modified(std::time::SystemTime::now()).map_err(unusable(&path))
    }

    /// Whether the warning was claimed.
    pub fn is_premortem_claimed(&self, who: &Who) -> bool {
        self.file(&Self::name(who), "premortem").exists()
    }

    /// Claims the warning; true for the first caller.
    pub fn claim_premortem(&self, who: &Who) -> Result<bool, GhapError> {
        let path = self.file(&Self::name(who), "premortem");
        let mut options = tenter_store::our_file();
        options.write(true).create_new(true);
        let made = match options.open(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.state.make_folder(&self.path).and_then(|()| options.open(&path))
            }
            made => made,
        };
        match made {
            Ok(_) => Ok(true),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(cause) => Err(unusable(&path)(cause)),
        }
    }
}
