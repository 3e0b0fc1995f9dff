//! For processes of ours that outlive an event: how no sweep takes them for remains, and how they end what they
//! have started.

use std::collections::HashSet;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::processes::{self, State};
use super::tag::{Tag, VARIABLE};
use super::{GRACE, LAST_PATIENCE};

/// Between two looks at our children.
const NAP: Duration = Duration::from_millis(2);

/// Lets a process of ours outlive the runs around it that end now, under a name. Whoever ends an outer run, because
/// we are inside a hook ourselves, ends it too.
pub fn apart(command: &mut Command, name: &str) {
    let outer = std::env::var_os(VARIABLE);
    command.env(VARIABLE, Tag::below(outer.as_deref()).value_outside(name));
}

/// Ends all children of this process with everything below them: asks, waits a moment, kills. For a process that has
/// no children but those of its hooks. Whoever runs them reaps them.
pub fn end_children() {
    let mut asked = HashSet::new();
    let grace = Instant::now() + GRACE;
    // Whoever ends leaves its own children to us, a subreaper; they are asked in their turn.
    while alive().inspect(|pid| ask(*pid, &mut asked)).count() > 0 && Instant::now() < grace {
        thread::sleep(NAP);
    }
    let patience = Instant::now() + LAST_PATIENCE;
    while alive().inspect(|pid| kill(*pid)).count() > 0 && Instant::now() < patience {
        thread::sleep(NAP);
    }
}

fn ask(pid: Pid, asked: &mut HashSet<Pid>) {
    if asked.insert(pid) {
        let _ = processes::signal(pid, Signal::TERM);
    }
}

fn kill(pid: Pid) {
    // The only errors say that nobody is there, or that it is not ours to end.
    let _ = processes::kill(pid);
}

fn alive() -> impl Iterator<Item = Pid> {
    let children = processes::children().into_iter().filter_map(processes::look);
    children.filter(|child| child.state == State::Runs).map(|child| child.pid)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    use super::*;

    /// In a process of its own, because it ends all children.
    #[test]
    fn whatever_is_below_is_ended() {
        let test = std::env::current_exe().unwrap();
        let ran = Command::new(test)
            .args(["--exact", "supervise::keeping::tests::ends_its_children", "--ignored", "--nocapture"])
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    /// Not a test: what the one above starts.
    #[test]
    #[ignore = "ends all children of its process"]
    fn ends_its_children() {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
        let script = "trap '' TERM; (setsid sleep 600 &); sleep 600 & echo there; sleep 600; sleep 600";
        let mut deaf =
            Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(deaf.stdout.as_mut().unwrap()), &mut line)
            .unwrap();
        end_children();
        assert_eq!(alive().count(), 0);
        deaf.wait().unwrap();
    }
}
