//! Facts about processes from `/proc`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, RawPid, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal};

use tenter_store::process::ProcessStat;

use super::run_tag::{RunTag, TagMatch};

/// A process in `/proc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) name: String,
    pub(crate) parent: Option<Pid>,
    pub(super) group: Pid,
    pub(super) state: State,
    /// In clock ticks of the system; together with the number it identifies a process.
    pub(crate) start: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Runs,
    /// It has ended and waits to be reaped.
    Over,
}

/// The process of that number, if there is one.
pub(crate) fn read_process(pid: Pid) -> Option<Process> {
    let ProcessStat { name, parent, group, began, ended, .. } =
        ProcessStat::load(pid.as_raw_pid().unsigned_abs())?;
    let state = if ended { State::Over } else { State::Runs };
    // A process in its very last moment has the group -1.
    let group = Pid::from_raw(RawPid::try_from(group).ok().filter(|group| *group > 0)?)?;
    Some(Process { pid, name, parent: Pid::from_raw(parent.cast_signed()), group, state, start: began })
}

/// Which run a process belongs to by its environment; `None` if it is just starting or ending.
///
/// A process whose environment is not readable counts as untagged.
pub(super) fn match_tag(pid: Pid, tag: &RunTag) -> Option<TagMatch> {
    let environment = match fs::read(format!("/proc/{pid}/environ")) {
        Ok(environment) => environment,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Some(TagMatch::Untagged),
        Err(_) => return None,
    };
    // During `exec`, and in its last moments, a process has neither variables nor arguments.
    let is_blank = environment.is_empty() && fs::read(format!("/proc/{pid}/cmdline")).ok()?.is_empty();
    if is_blank { None } else { Some(tag.match_environment(&environment)) }
}

/// Sends a signal to the process of that number. The number is resolved once, so that a later process of the same
/// number is safe.
pub(super) fn signal(pid: Pid, signal: Signal) -> Result<(), Errno> {
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => pidfd_send_signal(process, signal),
        Err(Errno::NOSYS) => kill_process(pid, signal),
        Err(error) => Err(error),
    }
}

/// All processes.
pub(super) fn all() -> Vec<Pid> {
    numbers_in(Path::new("/proc"))
}

/// The children of this process, of all its threads. One can be missing while others end.
pub(super) fn children() -> Vec<Pid> {
    listed_children(getpid()).unwrap_or_else(searched_children)
}

/// The children of another process, on systems that list them.
pub(super) fn children_of(pid: Pid) -> Vec<Pid> {
    listed_children(pid).unwrap_or_default()
}

fn listed_children(pid: Pid) -> Option<Vec<Pid>> {
    let tasks = Path::new("/proc").join(pid.to_string()).join("task");
    let mut children = Vec::new();
    for task in numbers_in(&tasks) {
        match fs::read_to_string(tasks.join(task.to_string()).join("children")) {
            Ok(text) => children.extend(text.split_ascii_whitespace().filter_map(parse_pid)),
            // A thread may end, the main thread does not.
            Err(_) if task != pid => {}
            Err(_) => return None,
        }
    }
    Some(children)
}

fn searched_children() -> Vec<Pid> {
    let processes = all().into_iter().filter_map(read_process);
    processes.filter(|process| process.parent == Some(getpid())).map(|child| child.pid).collect()
}

fn numbers_in(folder: &Path) -> Vec<Pid> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| parse_pid(entry.file_name().to_str()?)).collect()
}

fn parse_pid(text: &str) -> Option<Pid> {
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
    fn both_searches_find_children() {
        let mut child = waiting();
        let pid = Pid::from_child(&child);
        assert!(listed_children(getpid()).is_none_or(|children| children.contains(&pid)));
        assert!(searched_children().contains(&pid));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!children().contains(&pid));
    }

    #[test]
    fn process_facts_match_the_process() {
        let mut child = waiting();
        let pid = Pid::from_child(&child);
        while read_process(pid).is_some_and(|process| process.name != "cat") {
            std::thread::yield_now();
        }
        let running = read_process(pid).unwrap();
        let (parent, group) = (Some(getpid()), rustix::process::getpgrp());
        assert_eq!((running.parent, running.group, running.state), (parent, group, State::Runs));
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        assert_eq!(stat.split(' ').nth(21), Some(running.start.to_string().as_str()));
        signal(pid, Signal::KILL).unwrap();
        while read_process(pid).is_some_and(|process| process.state == State::Runs) {
            std::thread::yield_now();
        }
        assert_eq!(read_process(pid), Some(Process { state: State::Over, ..running }));
        child.wait().unwrap();
        assert_eq!(read_process(pid), None);
    }
}
