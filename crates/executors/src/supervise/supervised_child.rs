//! A process with its group, its reaper and its watchdog.

use std::io;
use std::os::fd::BorrowedFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tenter_contract::LeftoverProcesses;

use super::process_group::ProcessGroup;
use super::reaper::{Leftovers, Reaper};
use super::run_tag::{RunTag, VARIABLE};
use super::watchdog::Watchdog;
use super::{Ended, GRACE, KILL_TIMEOUT, ProcessTree, poll_with_exit};

/// A child process. Dropping it ends it with everything it has started.
///
/// While it lives it counts as a run, so no untagged process is ended as a leftover.
pub struct SupervisedChild {
    // Dropped in this order: the group, the watchdog, and then all leftovers.
    group: ProcessGroup,
    watchdog: Watchdog,
    reaper: Reaper,
    tag: RunTag,
    leftovers: LeftoverProcesses,
    process_tree: ProcessTree,
}

/// The processes of an ended child that continue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Survivors {
    None,
    OutsideGroup,
    All,
}

impl SupervisedChild {
    /// Starts a child that belongs to the program and not to a hook: a tool of its agent or a server. The caller
    /// chooses its stdio.
    pub fn start_own(command: Command) -> io::Result<Self> {
        let outer = std::env::var_os(VARIABLE);
        Self::start(command, RunTag::nested_in(outer.as_deref()), LeftoverProcesses::Ended, ProcessTree::Own)
    }

    /// Starts a child. The caller chooses its stdio.
    pub(crate) fn start(
        mut command: Command,
        tag: RunTag,
        leftovers: LeftoverProcesses,
        process_tree: ProcessTree,
    ) -> io::Result<Self> {
        command.env(VARIABLE, tag.value());
        let mut reaper = Reaper::prepare(&tag, process_tree);
        let watchdog = Watchdog::new(Instant::now(), leftovers);
        let group = ProcessGroup::spawn(command)?;
        reaper.set_group(group.pid());
        Ok(Self { group, watchdog, reaper, tag, leftovers, process_tree })
    }

    pub(super) fn leader(&mut self) -> &mut Child {
        self.group.leader()
    }

    pub(super) fn tag(&self) -> &RunTag {
        &self.tag
    }

    /// Whether it has ended.
    pub fn has_exited(&self) -> bool {
        self.group.has_exited()
    }

    /// A descriptor that becomes readable when it has ended, on systems that have one.
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.group.exit_fd()
    }

    /// Keeps the watchdog up to date. Call it regularly while the child works; returns when to call it next.
    pub fn tick(&mut self, now: Instant) -> Option<Instant> {
        self.watchdog.tick(now, &self.tag, self.group.pid(), self.process_tree)
    }

    /// Waits a moment for it to end by itself, after the caller has closed its input.
    pub(crate) fn finish_after_grace(self) -> (Ended, Leftovers) {
        self.wait(GRACE);
        self.finish()
    }

    /// Ends it: asks, waits a moment, kills.
    pub(crate) fn stop(self) -> (Ended, Leftovers) {
        self.ask_to_end();
        self.finish_after_grace()
    }

    /// Asks it and its group to end, and does not wait.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills it unless it has ended.
    pub fn finish(self) -> (Ended, Leftovers) {
        if !self.has_exited() {
            self.signal(Signal::KILL);
            self.wait(KILL_TIMEOUT);
        }
        let detached = self.leftovers == LeftoverProcesses::Detached && self.has_exited();
        self.close(if detached { Survivors::All } else { Survivors::None })
    }

    pub(super) fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    /// Reaps it, and ends its processes except for the survivors.
    pub(super) fn close(self, survivors: Survivors) -> (Ended, Leftovers) {
        let Self { group, watchdog, reaper, .. } = self;
        let ended = group.close(survivors == Survivors::All);
        drop(watchdog);
        (ended, if survivors == Survivors::None { reaper.finish() } else { reaper.leave() })
    }

    fn wait(&self, longest: Duration) {
        let until = Instant::now() + longest;
        while !self.has_exited() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            poll_with_exit(Vec::new(), self.exit_fd(), left);
        }
    }

    /// The child as on a system without exit descriptors.
    #[cfg(test)]
    pub(super) fn without_exit_fd(mut self) -> Self {
        self.group = self.group.without_exit_fd();
        self
    }
}
