//! A process and its children that stayed in its group.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::Ended;

/// A process that leads its own group. Dropping it kills the group, so that even a panic leaves no process.
///
/// The leader is reaped last: until then the kernel reserves its number, so a signal to the group cannot hit an
/// unrelated process.
pub(super) struct ProcessGroup {
    leader: Child,
    pid: Pid,
    exit_fd: Option<OwnedFd>,
    closed: bool,
}

impl ProcessGroup {
    pub(super) fn spawn(mut command: Command) -> io::Result<Self> {
        let leader = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&leader);
        Ok(Self { leader, pid, exit_fd: open_exit_fd(pid), closed: false })
    }

    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// A descriptor that becomes readable when the leader has ended, on systems that have one.
    pub(super) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.exit_fd.as_ref().map(AsFd::as_fd)
    }

    #[cfg(test)]
    pub(super) fn without_exit_fd(mut self) -> Self {
        self.exit_fd = None;
        self
    }

    /// Whether the leader has ended. Does not reap it.
    pub(super) fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that it is no longer a child: another part of the process reaped it.
        waitid(WaitId::Pid(self.pid), options).map_or(true, |status| status.is_some())
    }

    pub(super) fn signal(&self, signal: Signal) {
        // The only errors mean that the group is empty.
        let _ = kill_process_group(self.pid, signal);
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Reaps the leader, and kills the rest of the group unless it is left alone.
    pub(super) fn close(mut self, leave: bool) -> Ended {
        if !leave {
            self.signal(Signal::KILL);
        }
        self.closed = true;
        // A process that survived a kill sleeps in the kernel and dies when it wakes up; tenter does not wait for it.
        let status = if self.has_exited() { self.leader.wait().ok() } else { None };
        match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => Ended::Exited(code),
            Some((None, Some(signal))) => Ended::Signalled(signal),
            Some((None, None)) | None => Ended::Unknown,
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.closed {
            self.signal(Signal::KILL);
            let _ = self.leader.wait();
        }
    }
}

#[cfg(target_os = "linux")]
fn open_exit_fd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_exit_fd(_: Pid) -> Option<OwnedFd> {
    None
}
