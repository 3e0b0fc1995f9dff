//! The reaper for systems with a subreaper and `/proc`.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, set_child_subreaper, waitid};

use super::Leftovers;
use crate::supervise::processes::{self, Process, State};
use crate::supervise::run_tag::TagMatch;
use crate::supervise::{KILL_TIMEOUT, ProcessTree, RunTag};

/// The interval between two checks of killed processes.
const NAP: Duration = Duration::from_micros(100);
/// The list of children can miss one while others end; several empty lists in a row do not.
const EMPTY_SCANS: usize = 3;

/// The number of active runs. While it is zero and locked, no hook is running, so an untagged child is a leftover.
///
/// Global because children belong to the process, not to a runtime.
static RUNS: Mutex<usize> = Mutex::new(0);
/// Whether a hook with `detach: true` has left processes behind; one of them may have lost its tag.
static SOME_HOOK_DETACHED: AtomicBool = AtomicBool::new(false);

/// Ends the leftovers of a run; dropping it does so too, so that even a panic leaves no process.
pub(in crate::supervise) struct Reaper {
    tag: RunTag,
    /// Whether orphans become children of this process; else all processes are searched.
    is_subreaper: bool,
    group: Option<Pid>,
    run: Option<ActiveRun>,
}

/// Counts one active run.
struct ActiveRun;

impl ActiveRun {
    fn begin() -> Self {
        *RUNS.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        *RUNS.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

/// The result of one scan.
#[derive(Default)]
struct ScanResult {
    /// Processes to end, or to reap if they have ended.
    leftovers: Vec<Pid>,
    /// Whether a process must be checked again.
    unsure: bool,
}

impl Reaper {
    /// Must be called before the process is started, so that its orphans become children of this process.
    pub(in crate::supervise) fn prepare(tag: &RunTag, process_tree: ProcessTree) -> Self {
        let is_subreaper = process_tree == ProcessTree::Own && earlier_children().is_some();
        Self { tag: tag.clone(), is_subreaper, group: None, run: Some(ActiveRun::begin()) }
    }

    pub(in crate::supervise) fn set_group(&mut self, group: Pid) {
        self.group = Some(group);
    }

    /// Ends the leftovers. The hook itself must be reaped.
    pub(in crate::supervise) fn finish(mut self) -> Leftovers {
        self.end()
    }

    pub(in crate::supervise) fn leave(mut self) -> Leftovers {
        SOME_HOOK_DETACHED.store(true, Ordering::Relaxed);
        self.run = None;
        Leftovers::default()
    }

    /// Ends the tagged processes of this run; then, if no other hook is running, those that have lost their tag.
    fn end(&mut self) -> Leftovers {
        if !self.is_subreaper {
            let leftovers = clear(|| self.tagged_processes());
            self.run = None;
            return leftovers;
        }
        // The usual case costs one system call.
        if has_no_child() {
            self.run = None;
            return Leftovers::default();
        }
        let mut leftovers = clear(|| self.tagged_children());
        self.run = None;
        if let Some(_idle) = lock_idle() {
            let Leftovers { ended, stuck } = clear(|| self.unclaimed_children());
            leftovers.ended += ended;
            leftovers.stuck += stuck;
        }
        leftovers
    }

    fn tagged_processes(&self) -> ScanResult {
        let is_ours = |pid: &Pid| processes::match_tag(*pid, &self.tag) == Some(TagMatch::ThisRun);
        let others = processes::all().into_iter().filter(|pid| *pid != getpid());
        ScanResult { leftovers: others.filter(is_ours).collect(), unsure: false }
    }

    fn tagged_children(&self) -> ScanResult {
        scan_children(|child| {
            let in_group = Some(child.group) == self.group;
            match child.state {
                State::Runs if !in_group => {
                    Some(processes::match_tag(child.pid, &self.tag)? == TagMatch::ThisRun)
                }
                State::Runs | State::Over => Some(in_group),
            }
        })
    }

    /// Children in the group of this process were not started by a hook: hooks have groups of their own.
    fn unclaimed_children(&self) -> ScanResult {
        let ours = getpgrp();
        let may_be_wanted = SOME_HOOK_DETACHED.load(Ordering::Relaxed);
        scan_children(|child| match child.state {
            _ if child.group == ours => Some(false),
            State::Over => Some(true),
            State::Runs => match processes::match_tag(child.pid, &self.tag)? {
                TagMatch::ThisRun => Some(true),
                TagMatch::SiblingRun | TagMatch::Untagged => Some(!may_be_wanted),
                TagMatch::OtherRun => Some(false),
            },
        })
    }
}

/// The untagged processes of a run, each with its start time: descendants of the hook, and orphans that became children
/// of this process. Only their parents show that they belong to the run.
pub(in crate::supervise) fn untagged(
    tag: &RunTag,
    leader: Pid,
    process_tree: ProcessTree,
) -> Vec<(Pid, u64)> {
    let is_untagged = |pid: Pid| processes::match_tag(pid, tag) == Some(TagMatch::Untagged);
    let mut found = Vec::new();
    let mut below = processes::children_of(leader);
    if process_tree == ProcessTree::Own && !SOME_HOOK_DETACHED.load(Ordering::Relaxed) {
        let (earlier, ours) = (earlier_children().unwrap_or_default(), getpgrp());
        let is_orphan = |pid: &Pid| {
            let in_our_group = processes::read_process(*pid).is_none_or(|process| process.group == ours);
            !earlier.contains(pid) && !in_our_group && is_untagged(*pid)
        };
        below.extend(processes::children().into_iter().filter(|pid| *pid != leader).filter(is_orphan));
    }
    let mut seen = HashSet::new();
    while let Some(pid) = below.pop() {
        if !seen.insert(pid) || seen.len() > MOST_NAMED {
            continue;
        }
        below.extend(processes::children_of(pid));
        if is_untagged(pid) {
            found.extend(processes::read_process(pid).map(|process| (pid, process.start)));
        }
    }
    found.sort_unstable_by_key(|(pid, _)| pid.as_raw_nonzero());
    found
}

/// The most processes that fit into the pipe of the watchdog.
const MOST_NAMED: usize = 1000;

/// Checks every child; `None` means that it must be checked again.
fn scan_children(is_leftover: impl Fn(&Process) -> Option<bool>) -> ScanResult {
    let mut found = ScanResult::default();
    if has_no_child() {
        return found;
    }
    let earlier = earlier_children().unwrap_or_default();
    let children = processes::children().into_iter().filter(|pid| !earlier.contains(pid));
    for child in children.filter_map(processes::read_process) {
        match is_leftover(&child) {
            Some(true) => found.leftovers.push(child.pid),
            Some(false) => {}
            None => found.unsure = true,
        }
    }
    found
}

impl Drop for Reaper {
    fn drop(&mut self) {
        if self.run.is_some() {
            self.end();
        }
    }
}

/// Kills and reaps until a scan finds nothing. The children of a killed process become children of this one, so the
/// next scan finds them.
fn clear(find: impl Fn() -> ScanResult) -> Leftovers {
    let patience = Instant::now() + KILL_TIMEOUT;
    let (mut ended, mut dying, mut immune) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut quiet = 0;
    while quiet < EMPTY_SCANS && Instant::now() < patience {
        dying.retain(|pid| !is_reaped(*pid, &mut ended));
        let ScanResult { mut leftovers, unsure } = find();
        leftovers.retain(|pid| !immune.contains(pid));
        if leftovers.is_empty() && dying.is_empty() && !unsure {
            quiet += 1;
            continue;
        }
        quiet = 0;
        for pid in leftovers {
            match processes::signal(pid, Signal::KILL) {
                Err(Errno::PERM) => immune.insert(pid),
                Ok(()) | Err(_) => dying.insert(pid),
            };
        }
        dying.retain(|pid| !is_reaped(*pid, &mut ended));
        if unsure || !dying.is_empty() {
            thread::sleep(NAP);
        }
    }
    Leftovers { ended: ended.len(), stuck: dying.len() + immune.len() }
}

/// Whether a process needs no more waiting. Counts it if a kill ended it.
fn is_reaped(pid: Pid, ended: &mut HashSet<Pid>) -> bool {
    match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
        Ok(None) => false,
        Ok(Some(status)) => {
            if status.terminating_signal() == Some(Signal::KILL.as_raw()) {
                ended.insert(pid);
            }
            true
        }
        // Not a child. If it still exists, the next scan finds it again.
        Err(_) => {
            ended.insert(pid);
            true
        }
    }
}

/// Whether this process has no child, so no run can have leftovers.
fn has_no_child() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, options).err() == Some(Errno::CHILD)
}

/// A lock under which untagged children are leftovers: no hook runs or starts while it is held.
fn lock_idle() -> Option<MutexGuard<'static, usize>> {
    let runs = match RUNS.try_lock() {
        Ok(runs) => runs,
        Err(TryLockError::Poisoned(runs)) => runs.into_inner(),
        // Another run begins or ends right now; the last one to end gets here after all others.
        Err(TryLockError::WouldBlock) => return None,
    };
    (*runs == 0).then_some(runs)
}

/// The children from before any hook ran, inherited from an earlier program in this process; they are not ended.
/// `None` if the process cannot become a subreaper.
fn earlier_children() -> Option<&'static [Pid]> {
    static EARLIER: OnceLock<Option<Vec<Pid>>> = OnceLock::new();
    let become_subreaper = || {
        set_child_subreaper(Some(getpid())).ok()?;
        Some(if has_no_child() { Vec::new() } else { processes::children() })
    };
    EARLIER.get_or_init(become_subreaper).as_deref()
}
