//! The agent for which this process runs: warm workers and background jobs end with it. Found and watched on Linux alone.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, poll};
#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, pidfd_open};

#[cfg(target_os = "linux")]
use crate::supervise::processes::{Process, read_process};

/// The longest chain of shells.
#[cfg(target_os = "linux")]
const DEEPEST: usize = 32;

/// A process, by its number and its start time, which distinguishes it from a later one of the same number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    /// Its number.
    pub pid: u32,
    /// Its start time in clock ticks of the system.
    pub start: String,
}

#[cfg(target_os = "linux")]
impl Caller {
    /// The nearest ancestor that is no shell; `None` if that is process 1.
    pub fn find() -> Option<Self> {
        let mut pid = rustix::process::getppid();
        for _ in 0..DEEPEST {
            let Process { pid: number, name, parent, start, .. } =
                read_process(pid.filter(|pid| !pid.is_init())?)?;
            if !is_between(&name) {
                return Some(Self { pid: number.as_raw_pid().unsigned_abs(), start: start.to_string() });
            }
            pid = parent;
        }
        None
    }

    /// Waits until it has ended.
    pub fn wait(&self) {
        let Some(process) = self.open() else { return };
        let mut fds = [PollFd::new(&process, PollFlags::IN)];
        while matches!(poll(&mut fds, None), Ok(0) | Err(rustix::io::Errno::INTR)) {}
    }

    /// The process itself, if it is still the same one.
    fn open(&self) -> Option<OwnedFd> {
        let pid = Pid::from_raw(self.pid.try_into().ok()?)?;
        let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        // Read after it was opened: a later process of the same number does not matter.
        (read_process(pid)?.start.to_string() == self.start).then_some(process)
    }
}

/// Whether this program may be between an agent and tenter.
#[cfg(target_os = "linux")]
fn is_between(name: &str) -> bool {
    name == "env" || tenter_shell::is_shell(name.trim_start_matches('-'))
}

#[cfg(not(target_os = "linux"))]
impl Caller {
    /// Always `None` on this system.
    pub fn find() -> Option<Self> {
        None
    }

    /// Returns at once on this system.
    pub fn wait(&self) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn shell_is_no_caller() {
        let Some(caller) = Caller::find() else { return };
        let Process { name, .. } = read_process(Pid::from_raw(caller.pid.cast_signed()).unwrap()).unwrap();
        assert!(!is_between(&name), "{name}");
    }

    #[test]
    fn wait_ignores_later_process_of_same_number() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let start = read_process(Pid::from_child(&child)).unwrap().start.to_string();
        let known = Caller { pid: child.id(), start };
        assert!(known.open().is_some());
        // Another start time means another process, so this returns at once.
        Caller { start: "0".to_owned(), ..known.clone() }.wait();
        drop(child.stdin.take());
        known.wait();
        child.wait().unwrap();
        assert!(known.open().is_none());
    }
}
