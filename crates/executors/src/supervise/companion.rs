//! A process that answers more than once: started like any run, talked to by whoever started it, ended like any run.

use std::io;
use std::os::fd::BorrowedFd;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tenter_contract::Remains;

use super::group::Group;
use super::sentinel::Sentinel;
use super::sweep::{Sweep, Swept};
use super::tag::{Tag, VARIABLE};
use super::{Ended, GRACE, Household, LAST_PATIENCE, TICK, ended_by};

/// A process of ours that waits for work. Dropping it ends it with everything it has started.
///
/// As long as it lives it counts as a run: processes without a mark are not taken for remains meanwhile.
pub struct Companion {
    // Dropped in this order: the group, the sentinel, and then all that is left.
    group: Group,
    sentinel: Sentinel,
    sweep: Sweep,
    tag: Tag,
    remains: Remains,
    household: Household,
}

impl Companion {
    /// One that is no hook's but the program's own: a tool that its agent uses, a server that it talks to. Its stdio
    /// is the caller's to choose.
    pub fn of_our_own(command: Command) -> io::Result<Self> {
        let outer = std::env::var_os(VARIABLE);
        Self::start(command, Tag::below(outer.as_deref()), Remains::Ended, Household::Own)
    }

    /// Starts it. Its stdio is the caller's to choose.
    pub(crate) fn start(
        mut command: Command,
        tag: Tag,
        remains: Remains,
        household: Household,
    ) -> io::Result<Self> {
        command.env(VARIABLE, tag.value());
        let mut sweep = Sweep::prepare(&tag, household);
        let sentinel = match remains {
            Remains::Ended => Sentinel::of_run(Instant::now()),
            Remains::Detached => Sentinel::absent(),
        };
        let group = Group::spawn(command)?;
        sweep.of_group(group.pid());
        Ok(Self { group, sentinel, sweep, tag, remains, household })
    }

    /// Whether it is over.
    pub fn has_exited(&self) -> bool {
        self.group.has_exited()
    }

    /// A descriptor that becomes readable when it has ended, where the system has such a thing.
    pub fn bell(&self) -> Option<BorrowedFd<'_>> {
        self.group.bell()
    }

    /// To be told the time now and then while it works; says when it wants to be told again.
    pub fn tick(&mut self, now: Instant) -> Option<Instant> {
        self.sentinel.tick(now, &self.tag, self.group.pid(), self.household);
        self.sentinel.due()
    }

    /// Waits a moment for it to end by itself, because its caller has closed what it listened to.
    pub(crate) fn part(self) -> (Ended, Swept) {
        self.wait(GRACE);
        self.finish()
    }

    /// Makes it end: asks, waits a moment, kills.
    pub(crate) fn stop(self) -> (Ended, Swept) {
        self.ask_to_end();
        self.part()
    }

    /// Asks it to end, with everything in its group, and does not wait for that.
    pub fn ask_to_end(&self) {
        self.group.signal(Signal::TERM);
    }

    /// Makes an end of it at once, whether it is over or not.
    pub fn finish(self) -> (Ended, Swept) {
        self.kill();
        self.end()
    }

    fn kill(&self) {
        if !self.has_exited() {
            self.group.signal(Signal::KILL);
            self.wait(LAST_PATIENCE);
        }
    }

    /// How it ended, and what it left behind.
    fn end(self) -> (Ended, Swept) {
        let Self { group, sentinel, sweep, tag: _, remains, household: _ } = self;
        let leave = remains == Remains::Detached && group.has_exited();
        let status: Option<ExitStatus> = if leave { group.leave() } else { group.end() };
        sentinel.relieve();
        let swept = if leave { sweep.leave() } else { sweep.finish() };
        (status.map_or(Ended::Unknown, ended_by), swept)
    }

    fn wait(&self, longest: Duration) {
        let until = Instant::now() + longest;
        while !self.has_exited() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let mut bell: Vec<PollFd<'_>> =
                self.bell().map(|bell| PollFd::from_borrowed_fd(bell, PollFlags::IN)).into_iter().collect();
            let nap = if bell.is_empty() { left.min(TICK) } else { left };
            let _ = poll(&mut bell, Timespec::try_from(nap).ok().as_ref());
        }
    }
}
