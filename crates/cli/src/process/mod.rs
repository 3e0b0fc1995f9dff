//! The agent's process, from start to end. Nothing of it is left when it is over.

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
    TookTooLong,
    Interrupted,
}

/// Runs a command to its end, or for so long.
pub(crate) fn run(mut command: Command, limit: Duration) -> io::Result<End> {
    let (bell, news) = mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let handle = signals.handle();
    let interrupted = bell.clone();
    let listening = thread::spawn(move || {
        for _ in signals.forever() {
            let _ = interrupted.send(News::Interrupt);
        }
    });
    let leader = command.process_group(0).spawn();
    let ended = leader.map(|leader| Group::of(leader, bell)).and_then(|group| {
        let news = news.recv_timeout(limit);
        let code = group.end()?;
        Ok(match news {
            Ok(News::Exit) => End::Exited(code),
            Ok(News::Interrupt) => End::Interrupted,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => End::TookTooLong,
        })
    });
    handle.close();
    let _ = listening.join();
    ended
}

enum News {
    Exit,
    Interrupt,
}

/// The agent and everything it started that stayed in its group.
struct Group {
    leader: Child,
    pid: Pid,
}

impl Group {
    fn of(leader: Child, bell: Sender<News>) -> Self {
        let pid = Pid::from_child(&leader);
        thread::spawn(move || {
            // It is not reaped by looking: until then its number is no one else's.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = bell.send(News::Exit);
        });
        Self { leader, pid }
    }

    /// Kills what is left, then reaps.
    fn end(mut self) -> io::Result<Option<i32>> {
        // The only error says that no one is there any more.
        let _ = kill_process_group(self.pid, Signal::KILL);
        self.leader.wait().map(|status| status.code())
    }
}
