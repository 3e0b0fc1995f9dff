//! Processes of tenter that outlive an event: how they escape the reaper, and how they end their own children.

use std::collections::HashSet;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::processes::{self, State};
use super::run_tag::{RunTag, VARIABLE};
use super::{GRACE, KILL_TIMEOUT};

/// The interval between two checks of the children.
const NAP: Duration = Duration::from_millis(2);

/// Tags a process under a name so that it outlives the current run. The end of an outer run, when tenter itself runs
/// inside a hook, still ends it.
pub fn mark_long_lived(command: &mut Command, name: &str) {
    let outer = std::env::var_os(VARIABLE);
    command.env(VARIABLE, RunTag::nested_in(outer.as_deref()).value_outside(name));
}

/// Ends all descendants of this process: asks, waits a moment, kills. For a process whose only children are its hooks;
/// the code that runs them reaps them.
pub fn end_children() {
    let mut asked = HashSet::new();
    let ask = |pid: Pid| {
        if asked.insert(pid) {
            let _ = processes::signal(pid, Signal::TERM);
        }
    };
    // The children of an ended process become children of this one, a subreaper, and are asked in turn.
    signal_until_gone(ask, GRACE);
    // The only errors mean that the process is gone, or belongs to another user.
    signal_until_gone(|pid| _ = processes::signal(pid, Signal::KILL), KILL_TIMEOUT);
}

fn signal_until_gone(mut send: impl FnMut(Pid), longest: Duration) {
    let until = Instant::now() + longest;
    while running_children().inspect(|pid| send(*pid)).count() > 0 && Instant::now() < until {
        thread::sleep(NAP);
    }
}

fn running_children() -> impl Iterator<Item = Pid> {
    let children = processes::children().into_iter().filter_map(processes::read_process);
    children.filter(|child| child.state == State::Runs).map(|child| child.pid)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    use super::*;

    /// In a process of its own, because it ends all children.
    #[test]
    fn end_children_ends_all_descendants() {
        let test = std::env::current_exe().unwrap();
        let ran = Command::new(test)
            .args(["--exact", "supervise::long_lived::tests::ends_its_children", "--ignored", "--nocapture"])
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    /// Not a test: started by the test above.
    #[test]
    #[ignore = "ends all children of its process"]
    fn ends_its_children() {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
        let script = "trap '' TERM; (setsid sleep 600 &); sleep 600 & echo there; sleep 600; sleep 600";
        let mut child =
            Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line)
            .unwrap();
        end_children();
        assert_eq!(running_children().count(), 0);
        child.wait().unwrap();
    }
}
