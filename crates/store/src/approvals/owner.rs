//! Who asked, and whether that one still lives.

use std::fs::{File, TryLockError};
use std::io;

use serde::{Deserialize, Serialize};

/// The process that asks. A process id alone may be another's by now, so its start is part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Owner {
    pub(super) pid: u32,
    /// In the system's own ticks since it was started, where known.
    pub(super) started: Option<u64>,
}

impl Owner {
    /// This process.
    pub(super) fn this() -> Self {
        let pid = std::process::id();
        Self { pid, started: start_of(pid) }
    }

    /// Whether a process with this id and this start is there.
    fn runs(self) -> bool {
        self.started.is_some() && start_of(self.pid) == self.started
    }
}

/// Whether the owner of this open file lives: it holds a lock as long as it does. Where locks are not to be relied
/// upon, the process itself is looked for.
pub(super) fn lives(file: &File, owner: Owner) -> io::Result<bool> {
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(cause)) => Err(cause),
        Ok(()) => {
            file.unlock()?;
            Ok(owner.runs())
        }
    }
}

/// The moment a process was started: the 22nd field, counted behind the name, which may hold anything.
#[cfg(target_os = "linux")]
fn start_of(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn start_of(_: u32) -> Option<u64> {
    None
}
