//! Starts keepers.

use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tenter_contract::ports::{Background, Errand};
use tenter_executors::{Caller, apart, needs_all};

use super::ARGUMENT;
use super::order::Order;
use crate::beside::in_memory;
use crate::program::own_program;

/// The file of the program that runs, also if another one has its name by now.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// A keeper says at once that it is there; one that does not by then never will.
const THERE_WITHIN: Duration = Duration::from_secs(10);

/// How a program is called, and the arguments that make it a keeper.
type Call = (&'static str, &'static [&'static str]);

const SMALL: Call = ("tenter-hook", &[ARGUMENT]);
const WHOLE: Call = ("tenter", &["hook", ARGUMENT]);

/// The keepers that this process starts.
pub(crate) struct Keepers {
    /// This program, as a keeper.
    call: Call,
    /// Those it has started, which it must reap if it lives long enough.
    started: Mutex<Vec<Child>>,
}

impl Keepers {
    /// Keepers that are `tenter-hook`.
    pub(crate) fn of_small() -> Self {
        Self { call: SMALL, started: Mutex::default() }
    }

    /// Keepers that are `tenter`.
    pub(crate) fn of_whole() -> Self {
        Self { call: WHOLE, started: Mutex::default() }
    }

    fn spawn(&self, errand: &Errand, order: &[u8]) -> io::Result<Child> {
        // What this program cannot run, the whole one beside it keeps. That it is of the same build it sees itself.
        let beyond = self.call == SMALL && errand.hooks().iter().any(needs_all);
        let ((name, arguments), mut command) = if beyond {
            (WHOLE, Command::new(own_program()?.with_file_name("tenter")))
        } else {
            (self.call, Command::new(THIS_PROGRAM))
        };
        command.arg0(name).args(arguments);
        apart(&mut command, "keeper");
        command.stdin(in_memory(order)?).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn()
    }
}

impl Background for Keepers {
    fn start(&self, errand: &Errand, wait_until: Option<Instant>) -> Result<(), String> {
        let order = Order { errand: errand.clone(), caller: Caller::find() };
        let order = order.to_bytes().ok_or("it cannot be handed over")?;
        let mut keeper = self.spawn(errand, &order).map_err(|error| error.to_string())?;
        let mut said = keeper.stdout.take();
        let there = said.as_mut().is_some_and(|said| heard(said, Instant::now() + THERE_WITHIN));
        if !there {
            let _ = keeper.kill();
            let _ = keeper.wait();
            return Err("the process that was to run it did not answer".to_owned());
        }
        if let (Some(until), Some(said)) = (wait_until, &mut said) {
            // Nothing more is said; what is heard is the end.
            heard(said, until);
        }
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.push(keeper);
        started.retain_mut(|keeper| matches!(keeper.try_wait(), Ok(None)));
        Ok(())
    }
}

/// Waits for a byte, but not longer than that; whether one came.
fn heard(said: &mut ChildStdout, until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::from_borrowed_fd(said.as_fd(), PollFlags::IN)];
        match poll(&mut fds, Timespec::try_from(left).ok().as_ref()) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return false,
        }
        match said.read(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return matches!(read, Ok(1)),
        }
    }
}
