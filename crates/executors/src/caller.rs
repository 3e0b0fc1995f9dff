//! On whose behalf we run: the agent, whose end is the end of everything that is kept for it. It is looked for and
//! watched on Linux alone; elsewhere nobody is known.

#[cfg(target_os = "linux")]
use std::fs;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, poll};
#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// Programs that only stand between an agent and us.
#[cfg(target_os = "linux")]
const SHELLS: [&str; 10] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "busybox", "env"];
/// No chain of shells is longer.
#[cfg(target_os = "linux")]
const DEEPEST: usize = 32;

/// A process, by its number and the time it began, which tells it from a later one of the same number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    /// Its number.
    pub pid: u32,
    /// When it began, as the system counts.
    pub start: String,
}

#[cfg(target_os = "linux")]
impl Caller {
    /// The nearest process above us that is no shell; `None` if there is none but the first of all.
    pub fn find() -> Option<Self> {
        let mut pid = std::os::unix::process::parent_id();
        for _ in 0..DEEPEST {
            if pid <= 1 {
                return None;
            }
            let (name, parent, start) = look(pid)?;
            if !SHELLS.contains(&name.trim_start_matches('-')) {
                return Some(Self { pid, start });
            }
            pid = parent;
        }
        None
    }

    /// Waits until it is gone.
    pub fn wait(&self) {
        let Some(process) = self.open() else { return };
        let mut fds = [PollFd::new(&process, PollFlags::IN)];
        while matches!(poll(&mut fds, None), Ok(0) | Err(rustix::io::Errno::INTR)) {}
    }

    /// The process itself, if it is still the same one.
    fn open(&self) -> Option<OwnedFd> {
        let pid = Pid::from_raw(self.pid.try_into().ok()?)?;
        let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        // Looked at after it was opened: what has the number from now on does not matter.
        let (_, _, start) = look(self.pid)?;
        (start == self.start).then_some(process)
    }
}

#[cfg(not(target_os = "linux"))]
impl Caller {
    /// Nobody.
    pub fn find() -> Option<Self> {
        None
    }

    /// There is nobody to wait for.
    pub fn wait(&self) {}
}

/// Name, parent and start of a process.
#[cfg(target_os = "linux")]
fn look(pid: u32) -> Option<(String, u32, String)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (before, behind) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut words = behind.split_ascii_whitespace();
    let parent = words.nth(1)?.parse().ok()?;
    // The 22nd of all: state is the 3rd, the parent the 4th.
    let start = words.nth(17)?.to_owned();
    Some((name.to_owned(), parent, start))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start() {
        let (_, parent, start) = look(std::process::id()).unwrap();
        assert_eq!(parent, std::os::unix::process::parent_id());
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let behind_name = stat.rsplit_once(") ").unwrap().1;
        assert_eq!(behind_name.split(' ').nth(19), Some(start.as_str()));
    }

    #[test]
    fn no_shell_is_taken_for_an_agent() {
        let Some(caller) = Caller::find() else { return };
        let (name, ..) = look(caller.pid).unwrap();
        assert!(!SHELLS.contains(&name.as_str()), "{name}");
    }

    #[test]
    fn a_process_is_waited_for_and_no_other_of_its_number() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (.., start) = look(child.id()).unwrap();
        let known = Caller { pid: child.id(), start };
        assert!(known.open().is_some());
        // Another one of the number is somebody else, so nobody is waited for.
        Caller { start: "0".to_owned(), ..known.clone() }.wait();
        drop(child.stdin.take());
        known.wait();
        child.wait().unwrap();
        assert!(known.open().is_none());
    }
}
