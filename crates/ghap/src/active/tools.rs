//! Counting tool calls, so that an agent is reminded of what it predicted.

use std::io::{self, Write};

use tenter_store::{open_plain, our_file, read_plain};

use super::folder::{ActiveFolder, cannot_be_written, unusable};
use crate::entry::Entry;
use crate::error::GhapError;
use crate::who::Who;

/// A tool call that the built-in has counted, and one that a script has asked about.
const COUNTED: u8 = b'.';
const ASKED: u8 = b'?';

/// It is time to think about the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckIn {
    /// The entry.
    pub entry: Entry,
    /// How many tools were called since it was last thought about.
    pub tools: u64,
}

impl ActiveFolder {
    /// Counts a tool call, and says whether it is the one at which the agent is reminded. Of calls that come at the
    /// same time one is. Without an active entry nothing is counted.
    pub fn count_tool(&self, who: &Who, frequency: u64) -> Result<Option<CheckIn>, GhapError> {
        let name = Self::name(who);
        let path = self.file(&name, "tools");
        let mut file = match open_plain(our_file().append(true), &path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) if cannot_be_written(&cause) => return Ok(self.uncounted(unusable(&path)(cause))),
            Err(cause) => return Err(unusable(&path)(cause)),
        };
        match file.write_all(&[COUNTED]) {
            Err(cause) if cannot_be_written(&cause) => return Ok(self.uncounted(unusable(&path)(cause))),
            written => written.map_err(unusable(&path))?,
        }
        let due = || file.metadata().map(|metadata| metadata.len()).map(|tools| (tools >= frequency, tools));
        if !due().map_err(unusable(&path))?.0 {
            return Ok(None);
        }
        let locked = self.lock()?;
        // A process that was first has set it back.
        let (still_due, tools) = due().map_err(unusable(&path))?;
        if !still_due {
            return Ok(None);
        }
        match self.read(&name, Some(&locked))? {
            Some(active) if active.entry.outcome.is_none() => {
                file.set_len(0).map_err(unusable(&path))?;
                Ok(Some(CheckIn { entry: active.entry, tools }))
            }
            // A process was stopped while starting or ending an entry.
            _ => self.remove(&locked, &name, "tools").map(|()| None),
        }
    }

    fn uncounted(&self, error: GhapError) -> Option<CheckIn> {
        self.notice(error.to_string());
        None
    }

    /// Whether a reminder is due. Scripts ask this at every tool call. Where no built-in counts the calls, each question
    /// is one, and it begins anew when the answer is yes.
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

    /// Begins to count anew; the agent has just thought about its entry.
    pub(super) fn reset_tools(&self, name: &str) -> Result<(), GhapError> {
        let path = self.file(name, "tools");
        let file = self.state.open_or_create(&path).map_err(unusable(&path))?;
        file.set_len(0).map_err(unusable(&path))?;
        // An empty file that is emptied keeps its time, which is when the agent was last received from.
        file.set_modified(std::time::SystemTime::now()).map_err(unusable(&path))
    }
}
