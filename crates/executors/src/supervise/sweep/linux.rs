//! The sweep where there is a subreaper and a `/proc`.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, set_child_subreaper, waitid};

use super::{Household, Swept, Tag};
use crate::supervise::LAST_PATIENCE;
use crate::supervise::processes::{self, Process, State};
use crate::supervise::tag::Mark;

/// Between two looks at processes that were killed and are not gone yet.
const NAP: Duration = Duration::from_micros(100);
/// A list of children can miss one while others end; several in a row do not.
const LOOKS: usize = 3;

/// So many runs last. Whoever holds it while there is none knows that no hook is running, so that a child of ours
/// without a mark is nobody's.
///
/// Children belong to the process, whatever number of runtimes live in it: hence a global.
static RUNS: Mutex<usize> = Mutex::new(0);
/// Whether some hook has left processes behind with permission; one of them may have lost its mark.
static LEFT_WITH_PERMISSION: AtomicBool = AtomicBool::new(false);

/// Ends what a run leaves behind; dropping it does so too, so that even a panic of ours leaves nothing.
pub(in crate::supervise) struct Sweep {
    tag: Tag,
    scope: Scope,
    group: Option<Pid>,
    run: Option<Running>,
}

/// A run that lasts.
struct Running;

impl Running {
    fn begin() -> Self {
        *RUNS.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *RUNS.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Among our children: what loses its parents comes to us.
    Children,
    /// Among all processes: what loses its parents is anywhere.
    Everywhere,
}

/// What one look has found.
#[derive(Default)]
struct Found {
    /// What is to be ended, or reaped if it has ended.
    remains: Vec<Pid>,
    /// Whether there is a process of which nothing can be said yet.
    unsure: bool,
}

impl Sweep {
    /// Must come before the process is started: from here on its orphans are ours.
    pub(in crate::supervise) fn prepare(tag: &Tag, household: Household) -> Self {
        let scope = match household {
            Household::Own if earlier_children().is_some() => Scope::Children,
            Household::Own | Household::Shared => Scope::Everywhere,
        };
        Self { tag: tag.clone(), scope, group: None, run: Some(Running::begin()) }
    }

    /// The group of the process, once it is known.
    pub(in crate::supervise) fn of_group(&mut self, group: Pid) {
        self.group = Some(group);
    }

    /// Ends what is left. The hook itself must be reaped.
    pub(in crate::supervise) fn finish(mut self) -> Swept {
        self.end()
    }

    /// Leaves alone what is left.
    pub(in crate::supervise) fn leave(mut self) -> Swept {
        LEFT_WITH_PERMISSION.store(true, Ordering::Relaxed);
        self.run = None;
        Swept::default()
    }

    /// First what is known to be of this run. Then, if no other hook is running, what has lost its mark.
    fn end(&mut self) -> Swept {
        if self.scope == Scope::Everywhere {
            let swept = clear(|| self.marked_anywhere());
            self.run = None;
            return swept;
        }
        // The usual case, and all it costs: one system call.
        if has_no_child() {
            self.run = None;
            return Swept::default();
        }
        let swept = clear(|| self.own_children());
        self.run = None;
        match alone() {
            Some(_alone) => swept + clear(|| self.nobodys_children()),
            None => swept,
        }
    }

    fn marked_anywhere(&self) -> Found {
        let is_ours = |pid: &Pid| processes::mark(*pid, &self.tag) == Some(Mark::Ours);
        let others = processes::all().into_iter().filter(|pid| *pid != getpid());
        Found { remains: others.filter(is_ours).collect(), unsure: false }
    }

    fn own_children(&self) -> Found {
        found_among_children(|child| {
            let in_group = Some(child.group) == self.group;
            match child.state {
                State::Runs if !in_group => Some(processes::mark(child.pid, &self.tag)? == Mark::Ours),
                State::Runs | State::Over => Some(in_group),
            }
        })
    }

    /// Those in our own group were not started by a hook, whose processes have a group of their own.
    fn nobodys_children(&self) -> Found {
        let ours = getpgrp();
        let may_be_wanted = LEFT_WITH_PERMISSION.load(Ordering::Relaxed);
        found_among_children(|child| match child.state {
            _ if child.group == ours => Some(false),
            State::Over => Some(true),
            State::Runs => match processes::mark(child.pid, &self.tag)? {
                Mark::Ours => Some(true),
                Mark::Siblings | Mark::Missing => Some(!may_be_wanted),
                Mark::Others => Some(false),
            },
        })
    }
}

/// The processes of a run that carry no mark, each with the moment of its start: those below the hook, and orphans that
/// came to us. Nothing but their parents shows that they belong to it.
pub(in crate::supervise) fn unmarked(tag: &Tag, leader: Pid, household: Household) -> Vec<(Pid, u64)> {
    let is_unmarked = |pid: Pid| processes::mark(pid, tag) == Some(Mark::Missing);
    let mut found = Vec::new();
    let mut below = processes::children_of(leader);
    if household == Household::Own && !LEFT_WITH_PERMISSION.load(Ordering::Relaxed) {
        let (earlier, ours) = (earlier_children().unwrap_or_default(), getpgrp());
        let is_orphan = |pid: &Pid| {
            let in_our_group = processes::look(*pid).is_none_or(|process| process.group == ours);
            !earlier.contains(pid) && !in_our_group && is_unmarked(*pid)
        };
        below.extend(processes::children().into_iter().filter(|pid| *pid != leader).filter(is_orphan));
    }
    let mut seen = HashSet::new();
    while let Some(pid) = below.pop() {
        if !seen.insert(pid) || seen.len() > MOST_NAMED {
            continue;
        }
        below.extend(processes::children_of(pid));
        if is_unmarked(pid) {
            found.extend(processes::start_of(pid).map(|start| (pid, start)));
        }
    }
    found.sort_unstable_by_key(|(pid, _)| pid.as_raw_nonzero());
    found
}

/// More processes than a pipe has room for names are not looked at.
const MOST_NAMED: usize = 1000;

/// Looks at every child; `None` says that it must be looked at again.
fn found_among_children(is_remain: impl Fn(&Process) -> Option<bool>) -> Found {
    let mut found = Found::default();
    if has_no_child() {
        return found;
    }
    let earlier = earlier_children().unwrap_or_default();
    let children = processes::children().into_iter().filter(|pid| !earlier.contains(pid));
    for child in children.filter_map(processes::look) {
        match is_remain(&child) {
            Some(true) => found.remains.push(child.pid),
            Some(false) => {}
            None => found.unsure = true,
        }
    }
    found
}

impl Drop for Sweep {
    fn drop(&mut self) {
        if self.run.is_some() {
            self.end();
        }
    }
}

impl std::ops::Add for Swept {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { ended: self.ended + other.ended, stuck: self.stuck + other.stuck }
    }
}

/// Kills and reaps until nothing is found any more. Whoever is killed leaves its own children to us, so that the
/// next look finds them.
fn clear(find: impl Fn() -> Found) -> Swept {
    let patience = Instant::now() + LAST_PATIENCE;
    let (mut ended, mut dying, mut immune) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut quiet = 0;
    while quiet < LOOKS && Instant::now() < patience {
        dying.retain(|pid| !is_reaped(*pid, &mut ended));
        let Found { mut remains, unsure } = find();
        remains.retain(|pid| !immune.contains(pid));
        if remains.is_empty() && dying.is_empty() && !unsure {
            quiet += 1;
            continue;
        }
        quiet = 0;
        for pid in remains {
            match processes::kill(pid) {
                Err(Errno::PERM) => immune.insert(pid),
                Ok(()) | Err(_) => dying.insert(pid),
            };
        }
        dying.retain(|pid| !is_reaped(*pid, &mut ended));
        if unsure || !dying.is_empty() {
            thread::sleep(NAP);
        }
    }
    Swept { ended: ended.len(), stuck: dying.len() + immune.len() }
}

/// Whether nobody needs to wait for a process any more. If it was ours and a kill ended it, that is counted.
fn is_reaped(pid: Pid, ended: &mut HashSet<Pid>) -> bool {
    match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
        Ok(None) => false,
        Ok(Some(status)) => {
            if status.terminating_signal() == Some(Signal::KILL.as_raw()) {
                ended.insert(pid);
            }
            true
        }
        // No child of ours. If it is still there, the next look finds it again.
        Err(_) => {
            ended.insert(pid);
            true
        }
    }
}

/// Whether we have no child at all: then nothing can be left of any run.
fn has_no_child() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, look).err() == Some(Errno::CHILD)
}

/// The right to take children without a mark for remains; nobody can start a hook while it is held.
fn alone() -> Option<MutexGuard<'static, usize>> {
    let runs = match RUNS.try_lock() {
        Ok(runs) => runs,
        Err(TryLockError::Poisoned(runs)) => runs.into_inner(),
        // Another run begins or ends just now; the last that ends comes here after all others.
        Err(TryLockError::WouldBlock) => return None,
    };
    (*runs == 0).then_some(runs)
}

/// The children that we had before any hook ran, because we are not the first program in this process. They are
/// not ours to end. `None` where we cannot be a subreaper.
fn earlier_children() -> Option<&'static [Pid]> {
    static EARLIER: OnceLock<Option<Vec<Pid>>> = OnceLock::new();
    let become_subreaper = || {
        set_child_subreaper(Some(getpid())).ok()?;
        Some(if has_no_child() { Vec::new() } else { processes::children() })
    };
    EARLIER.get_or_init(become_subreaper).as_deref()
}
