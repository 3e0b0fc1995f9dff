//! A process and everything it started that stayed in its group.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A process that leads a group of its own. Dropping it kills the group, so that even a panic of ours leaves
/// nothing behind.
///
/// The leader is reaped last: until then the kernel keeps its number, so a signal to the group cannot hit a
/// stranger that was given the same one.
pub(super) struct Group {
    leader: Child,
    pid: Pid,
    bell: Option<OwnedFd>,
    over: bool,
}

impl Group {
    /// Starts the process.
    pub(super) fn spawn(mut command: Command) -> io::Result<Self> {
        let leader = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&leader);
        Ok(Self { leader, pid, bell: bell_of(pid), over: false })
    }

    /// The process itself, for its pipes.
    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// A descriptor that becomes readable when the process has ended, where the system has such a thing.
    pub(super) fn bell(&self) -> Option<BorrowedFd<'_>> {
        self.bell.as_ref().map(AsFd::as_fd)
    }

    /// The group as it is where the system has no bells.
    #[cfg(test)]
    pub(super) fn without_bell(mut self) -> Self {
        self.bell = None;
        self
    }

    /// Whether the process has ended. It is not reaped by looking.
    pub(super) fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error says that it is no child of ours any more: someone reaped it.
        waitid(WaitId::Pid(self.pid), look).map_or(true, |status| status.is_some())
    }

    /// Sends a signal to everyone in the group.
    pub(super) fn signal(&self, signal: Signal) {
        // The only errors say that nobody is there to get it.
        let _ = kill_process_group(self.pid, signal);
    }

    /// Its number, which the leader gave it.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Kills what is left and reaps the process; `None` if it cannot be reaped.
    pub(super) fn end(self) -> Option<ExitStatus> {
        self.signal(Signal::KILL);
        self.leave()
    }

    /// Reaps the process and leaves the rest of the group alone; `None` if it cannot be reaped.
    pub(super) fn leave(mut self) -> Option<ExitStatus> {
        self.over = true;
        // One that survived a kill sleeps in the kernel. It dies when it wakes up; we do not wait for that.
        if self.has_exited() { self.leader.wait().ok() } else { None }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.over {
            self.signal(Signal::KILL);
            let _ = self.leader.wait();
        }
    }
}

#[cfg(target_os = "linux")]
fn bell_of(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn bell_of(_: Pid) -> Option<OwnedFd> {
    None
}
