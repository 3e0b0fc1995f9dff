//! Counting tool calls, so that an agent is reminded of what it predicted.

use std::fs::OpenOptions;
use std::io::{self, Write};

use super::folder::{ActiveFolder, cannot_be_written, unusable};
use crate::entry::Entry;
use crate::error::GhapError;
use crate::who::Who;

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
        let mut file = match OpenOptions::new().append(true).open(&path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) if cannot_be_written(&cause) => return Ok(self.uncounted(unusable(&path)(cause))),
            Err(cause) => return Err(unusable(&path)(cause)),
        };
        match file.write_all(b".") {
            Err(cause) if cannot_be_written(&cause) => return Ok(self.uncounted(unusable(&path)(cause))),
            written => written.map_err(unusable(&path))?,
        }
        let due = || file.metadata().map(|metadata| metadata.len()).map(|tools| (tools >= frequency, tools));
        if !due().map_err(unusable(&path))?.0 {
            return Ok(None);
        }
        let locked = self.lock()?;
        // Whoever was first has set it back.
        let (still_due, tools) = due().map_err(unusable(&path))?;
        if !still_due {
            return Ok(None);
        }
        match self.read(&name, Some(&locked))? {
            Some(active) if active.entry.outcome.is_none() => {
                file.set_len(0).map_err(unusable(&path))?;
                Ok(Some(CheckIn { entry: active.entry, tools }))
            }
            // Somebody was stopped while starting or ending an entry.
            _ => self.remove(&locked, &name, "tools").map(|()| None),
        }
    }

    /// Nobody is reminded by a count that stands still, and at every call is too often to be told so.
    fn uncounted(&self, error: GhapError) -> Option<CheckIn> {
        self.notice(error.message);
        None
    }

    /// Whether a reminder is due, without counting or setting back.
    pub fn is_check_in_due(&self, who: &Who, frequency: u64) -> Result<bool, GhapError> {
        let counted = self.file(&Self::name(who), "tools").metadata().map_or(0, |metadata| metadata.len());
        Ok(counted >= frequency.max(1) && self.active(who)?.is_some())
    }

    /// Begins to count anew; the agent has just thought about its entry.
    pub(super) fn reset_tools(&self, name: &str) -> Result<(), GhapError> {
        let path = self.file(name, "tools");
        let file = self.state.open_or_create(&path).map_err(unusable(&path))?;
        file.set_len(0).map_err(unusable(&path))?;
        // An empty file that is emptied keeps its time, which is when the agent was last heard of.
        file.set_modified(std::time::SystemTime::now()).map_err(unusable(&path))
    }
}
