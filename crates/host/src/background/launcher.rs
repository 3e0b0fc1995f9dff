//! Starts worker processes.

use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tenter_contract::ports::{Background, BackgroundJob};
use tenter_executors::{Caller, mark_long_lived, needs_all};

use super::ARGUMENT;
use super::request::JobRequest;
use crate::full_binary::in_memory;
use crate::program::own_program;

/// The file of the program that runs, also if another one has its name by now.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// A worker confirms at once that it has the job; one that does not by then never will.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(10);

/// The name of a program, and the arguments that make it a worker.
type WorkerCommand = (&'static str, &'static [&'static str]);

const SMALL: WorkerCommand = ("tenter-hook", &[ARGUMENT]);
const FULL: WorkerCommand = ("tenter", &["hook", ARGUMENT]);

pub(crate) struct WorkerLauncher {
    command: WorkerCommand,
    /// Workers to reap, if this process lives long enough.
    started: Mutex<Vec<Child>>,
}

impl WorkerLauncher {
    pub(crate) fn small() -> Self {
        Self { command: SMALL, started: Mutex::default() }
    }

    pub(crate) fn full() -> Self {
        Self { command: FULL, started: Mutex::default() }
    }

    fn spawn(&self, job: &BackgroundJob, request: &[u8]) -> io::Result<Child> {
        // The full binary runs the kinds that this program cannot run. It checks itself that it is of the same build.
        let needs_full = self.command == SMALL && job.hooks().iter().any(needs_all);
        let ((name, arguments), mut command) = if needs_full {
            (FULL, Command::new(own_program()?.with_file_name("tenter")))
        } else {
            (self.command, Command::new(THIS_PROGRAM))
        };
        command.arg0(name).args(arguments);
        mark_long_lived(&mut command, "worker");
        command.stdin(in_memory(request)?).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn()
    }
}

impl Background for WorkerLauncher {
    fn start(&self, job: &BackgroundJob, wait_until: Option<Instant>) -> Result<(), String> {
        let request = JobRequest { job: job.clone(), caller: Caller::find() };
        let request = request.to_bytes().ok_or("the job cannot be encoded")?;
        let mut worker = self.spawn(job, &request).map_err(|error| error.to_string())?;
        let mut stdout = worker.stdout.take();
        let confirmed =
            stdout.as_mut().is_some_and(|stdout| read_byte(stdout, Instant::now() + CONFIRMED_WITHIN));
        if !confirmed {
            let _ = worker.kill();
            let _ = worker.wait();
            return Err("the worker process did not start".to_owned());
        }
        if let (Some(until), Some(stdout)) = (wait_until, &mut stdout) {
            // The worker writes nothing more, so this returns at its end.
            read_byte(stdout, until);
        }
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.push(worker);
        started.retain_mut(|worker| matches!(worker.try_wait(), Ok(None)));
        Ok(())
    }
}

/// Waits for a byte until the deadline. Returns whether one came.
fn read_byte(stdout: &mut ChildStdout, until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::IN)];
        match poll(&mut fds, Timespec::try_from(left).ok().as_ref()) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return false,
        }
        match stdout.read(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return matches!(read, Ok(1)),
        }
    }
}
