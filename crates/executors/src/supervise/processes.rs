//! What `/proc` tells about other processes.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, RawPid, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal};

use super::tag::{Mark, Tag};

/// A process, as far as it concerns us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) parent: Option<Pid>,
    pub(super) group: Pid,
    pub(super) state: State,
}

/// Whether a process still does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It does, or could.
    Runs,
    /// It has ended and waits to be reaped.
    Over,
}

/// The process of that number, if there is one.
pub(super) fn look(pid: Pid) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // `7 (name) S 1 7 …`, where the name may contain anything, brackets and blanks included.
    let behind_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = str::from_utf8(&stat[behind_name..]).ok()?;
    let mut words = text.split_ascii_whitespace();
    let state = match words.next()? {
        "Z" | "X" => State::Over,
        _alive => State::Runs,
    };
    let (parent, group) = (pid_of(words.next()?), pid_of(words.next()?)?);
    Some(Process { pid, parent, group, state })
}

/// What a process says about its run; `None` if it just begins or just ends.
///
/// Of a process that is not ours to read we know nothing, as of one that has thrown its environment away.
pub(super) fn mark(pid: Pid, tag: &Tag) -> Option<Mark> {
    let environment = match fs::read(format!("/proc/{pid}/environ")) {
        Ok(environment) => environment,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Some(Mark::Missing),
        Err(_) => return None,
    };
    // Within `exec`, and in its last moments, a process has neither variables nor arguments.
    let says_nothing = environment.is_empty() && fs::read(format!("/proc/{pid}/cmdline")).ok()?.is_empty();
    if says_nothing { None } else { Some(tag.look_at(&environment)) }
}

/// Kills the process of that number.
pub(super) fn kill(pid: Pid) -> Result<(), Errno> {
    signal(pid, Signal::KILL)
}

/// Sends a signal to the process of that number. The number is looked up once, so that a stranger who gets it
/// afterwards is safe.
pub(super) fn signal(pid: Pid, signal: Signal) -> Result<(), Errno> {
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => pidfd_send_signal(process, signal),
        Err(Errno::NOSYS) => kill_process(pid, signal),
        Err(error) => Err(error),
    }
}

/// Every process.
pub(super) fn all() -> Vec<Pid> {
    numbers_in(Path::new("/proc"))
}

/// Our own children, those of all threads. One can be missing while others end.
pub(super) fn children() -> Vec<Pid> {
    listed_children().unwrap_or_else(searched_children)
}

/// The children of another process, where the system keeps a list of them.
pub(super) fn children_of(pid: Pid) -> Vec<Pid> {
    let tasks = Path::new("/proc").join(pid.to_string()).join("task");
    let mut children = Vec::new();
    for task in numbers_in(&tasks) {
        let list = fs::read_to_string(tasks.join(task.to_string()).join("children")).unwrap_or_default();
        children.extend(list.split_ascii_whitespace().filter_map(pid_of));
    }
    children
}

/// The moment a process was started, in the system's own ticks: with it a number is never another process.
pub(super) fn start_of(pid: Pid) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// From the list that most systems keep.
pub(super) fn listed_children() -> Option<Vec<Pid>> {
    let tasks = Path::new("/proc/self/task");
    let mut children = Vec::new();
    for task in numbers_in(tasks) {
        match fs::read_to_string(tasks.join(task.to_string()).join("children")) {
            Ok(text) => children.extend(text.split_ascii_whitespace().filter_map(pid_of)),
            // A thread may end, the main thread does not.
            Err(_) if task != getpid() => {}
            Err(_) => return None,
        }
    }
    Some(children)
}

/// By asking every process for its parent.
pub(super) fn searched_children() -> Vec<Pid> {
    let me = Some(getpid());
    all().into_iter().filter_map(look).filter(|process| process.parent == me).map(|child| child.pid).collect()
}

fn numbers_in(folder: &Path) -> Vec<Pid> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| pid_of(entry.file_name().to_str()?)).collect()
}

fn pid_of(text: &str) -> Option<Pid> {
    // A process in its very last moment has the group -1.
    text.parse().ok().filter(|number: &RawPid| *number > 0).and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// A process that waits for the end of its stdin.
    fn waiting() -> std::process::Child {
        Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn children_are_found_with_and_without_the_list_of_the_system() {
        let mut child = waiting();
        let pid = Pid::from_child(&child);
        assert!(listed_children().is_none_or(|children| children.contains(&pid)));
        assert!(searched_children().contains(&pid));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!children().contains(&pid));
    }

    #[test]
    fn a_process_is_described_as_it_is() {
        let mut child = waiting();
        let pid = Pid::from_child(&child);
        let (parent, group) = (Some(getpid()), rustix::process::getpgrp());
        assert_eq!(look(pid), Some(Process { pid, parent, group, state: State::Runs }));
        kill(pid).unwrap();
        while look(pid).is_some_and(|process| process.state == State::Runs) {
            std::thread::yield_now();
        }
        assert_eq!(look(pid), Some(Process { pid, parent, group, state: State::Over }));
        child.wait().unwrap();
        assert_eq!(look(pid), None);
    }
}
