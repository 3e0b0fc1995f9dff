//! Runs an agent's process with a time limit and kills its process group at the end.

pub(crate) mod isolation;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(Option<i32>),
    TimedOut,
    Interrupted,
}

/// Runs a command to its end or to the time limit.
pub(crate) fn run(mut command: Command, limit: Duration) -> io::Result<End> {
    let (sender, signals_and_exit) = mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let handle = signals.handle();
    let interrupted = sender.clone();
    let listening = thread::spawn(move || {
        for _ in signals.forever() {
            let _ = interrupted.send(ProcessEvent::Interrupt);
        }
    });
    let leader = command.process_group(0).spawn();
    let ended = leader.map(|leader| Group::new(leader, sender)).and_then(|group| {
        let first = signals_and_exit.recv_timeout(limit);
        let code = group.end()?;
        Ok(match first {
            Ok(ProcessEvent::Exit) => End::Exited(code),
            Ok(ProcessEvent::Interrupt) => End::Interrupted,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => End::TimedOut,
        })
    });
    handle.close();
    let _ = listening.join();
    ended
}

enum ProcessEvent {
    Exit,
    Interrupt,
}

/// The agent's process group.
struct Group {
    leader: Child,
    pid: Pid,
}

impl Group {
    fn new(leader: Child, exited: Sender<ProcessEvent>) -> Self {
        let pid = Pid::from_child(&leader);
        thread::spawn(move || {
            // NOWAIT does not reap it, so the pid stays reserved until `end`.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = exited.send(ProcessEvent::Exit);
        });
        Self { leader, pid }
    }

    /// Kills the remaining processes, then reaps the leader.
    fn end(mut self) -> io::Result<Option<i32>> {
        // The only error is that the group has no process any more.
        let _ = kill_process_group(self.pid, Signal::KILL);
        self.leader.wait().map(|status| status.code())
    }
}
