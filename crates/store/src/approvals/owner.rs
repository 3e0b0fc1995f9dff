//! The owner of a question: the process that asks, and whether it is alive.

use std::fs::{File, TryLockError};
use std::io;

use serde::{Deserialize, Serialize};

use crate::process::ProcessStat;

/// A process, by its number and its start time, because numbers are reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Owner {
    pub(super) pid: u32,
    /// In the kernel's ticks since the machine was started, if known.
    pub(super) started: Option<u64>,
}

impl Owner {
    /// This process.
    pub(super) fn this() -> Self {
        let pid = std::process::id();
        Self { pid, started: start_of(pid) }
    }
}

/// Whether the owner of this open file is alive: it holds a lock for as long. If the file system has no reliable locks,
/// the process table decides.
pub(super) fn is_alive(file: &File, owner: Owner) -> io::Result<bool> {
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(cause)) => Err(cause),
        Ok(()) => {
            file.unlock()?;
            Ok(owner.started.is_some() && start_of(owner.pid) == owner.started)
        }
    }
}

fn start_of(pid: u32) -> Option<u64> {
    ProcessStat::load(pid).map(|stat| stat.began)
}
