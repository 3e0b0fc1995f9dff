//! Runs one process: starts it, feeds it, reads its output, and ends it with everything it started.
//!
//! ```text
//! supervised_child   a process with the three parts below
//! process_group      the process and its children that stayed in its group
//! reaper             processes that left the group, found by tag or parent
//! watchdog           ends the run if tenter itself is killed
//! pipes              stdin, stdout, stderr
//! ```
//!
//! One thread and one loop. Every descriptor is non-blocking, so a process that never reads its stdin or never stops
//! writing cannot block tenter; `poll` only shows when to try again.

#[cfg(target_os = "linux")]
mod async_watcher;
#[cfg(target_os = "linux")]
mod long_lived;
mod pipes;
mod process_group;
#[cfg(target_os = "linux")]
pub(crate) mod processes;
mod reaper;
mod run_tag;
mod supervised_child;
mod watchdog;

use std::io;
use std::os::fd::BorrowedFd;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tenter_contract::LeftoverProcesses;

use crate::interrupt::CHECK_INTERVAL;
use crate::known_secrets::KnownSecrets;

#[cfg(target_os = "linux")]
pub use long_lived::{end_children, mark_long_lived};
use pipes::Pipes;
pub(crate) use pipes::{Head, READ_LIMIT, ReadOutcome, Responder, STDERR_TAIL, Tail, read_once, read_rest};
pub use reaper::Leftovers;
pub(crate) use run_tag::{RunTag, VARIABLE as TAG_VARIABLE};
pub use supervised_child::SupervisedChild;
use supervised_child::Survivors;

/// Between the request to end and the kill.
pub(crate) const GRACE: Duration = Duration::from_millis(200);
/// The longest wait for a killed process; one that sleeps in the kernel can take for ever.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the end of a process is checked on systems without an exit descriptor.
const TICK: Duration = Duration::from_millis(5);
/// The longest single `poll`, because some systems count its time in small integers.
const LONGEST_POLL: Duration = Duration::from_mins(1);

/// A process to run.
pub(crate) struct ProcessSpec<'a> {
    /// Program, arguments, environment and folder; stdio and the group are set here.
    pub(crate) command: Command,
    pub(crate) stdin: &'a [u8],
    /// How much of stdout is used. The rest is only searched for a deny.
    pub(crate) max_stdout: usize,
    pub(crate) deadline: Instant,
    pub(crate) tag: RunTag,
    pub(crate) leftovers: LeftoverProcesses,
    pub(crate) process_tree: ProcessTree,
    /// Ends the process early while it is true.
    pub(crate) stop: Option<&'a AtomicBool>,
    /// Recognises output after which the process continues without tenter.
    pub(crate) detects_async: Option<fn(&[u8]) -> bool>,
}

/// Who owns the children of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ProcessTree {
    /// Tenter: an untagged orphan was left behind by a hook.
    #[default]
    Own,
    /// A program that embeds tenter and starts processes of its own.
    Shared,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FinishedProcess {
    pub(crate) ended: Ended,
    /// The beginning of stdout.
    pub(crate) stdout: Vec<u8>,
    /// The number of bytes that followed.
    pub(crate) stdout_cut: u64,
    /// The bytes that followed, up to [`READ_LIMIT`].
    pub(crate) stdout_rest: Vec<u8>,
    /// The end of stderr.
    pub(crate) stderr_tail: Vec<u8>,
    /// The number of bytes before it.
    pub(crate) stderr_cut: u64,
    pub(crate) leftovers: Leftovers,
    pub(crate) took: Duration,
}

impl FinishedProcess {
    /// A process that ended with this code and wrote nothing.
    pub(crate) fn exited(code: i32) -> Self {
        Self {
            ended: Ended::Exited(code),
            stdout: Vec::new(),
            stdout_cut: 0,
            stdout_rest: Vec::new(),
            stderr_tail: Vec::new(),
            stderr_cut: 0,
            leftovers: Leftovers::default(),
            took: Duration::ZERO,
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which tenter did not send.
    Signalled(i32),
    /// Ended by tenter at its deadline.
    TimedOut,
    /// Still running as an asynchronous hook; it is ended at its deadline.
    LeftAsync,
    /// Unknown: another part of the process reaped it (`SIGCHLD` was ignored when tenter started).
    Unknown,
}

impl Ended {
    /// The exit code, if the process exited by itself.
    pub fn code(self) -> Option<i32> {
        if let Self::Exited(code) = self { Some(code) } else { None }
    }
}

/// Runs a process to its end. The error is the reason why it could not be started.
///
/// Returns when the process itself has ended, even if its children still hold its stdout; those are killed.
/// After the deadline it takes at most [`GRACE`] plus a few times [`KILL_TIMEOUT`].
pub(crate) fn run(spec: ProcessSpec<'_>) -> io::Result<FinishedProcess> {
    supervise(spec, None)
}

/// Runs a process in a conversation: it gets the stdin of the spec, then the responses. When the responder is done,
/// stdin is closed and the process has [`GRACE`] to end by itself. The responder keeps the output, and
/// `Ended::TimedOut` only means that the process had to be ended.
pub(crate) fn converse<'a>(
    spec: ProcessSpec<'a>,
    responder: &'a mut dyn Responder,
) -> io::Result<FinishedProcess> {
    supervise(spec, Some(responder))
}

fn supervise<'a>(
    spec: ProcessSpec<'a>,
    responder: Option<&'a mut dyn Responder>,
) -> io::Result<FinishedProcess> {
    let ProcessSpec { mut command, deadline, stop, detects_async, .. } = spec;
    let started = Instant::now();
    let secrets = KnownSecrets::from_command(&command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = SupervisedChild::start(command, spec.tag, spec.leftovers, spec.process_tree)?;
    let mut pipes = Pipes::new(child.leader(), spec.stdin, spec.max_stdout, responder)?;
    let phase = watch(&mut child, &mut pipes, deadline, stop, detects_async);
    if phase != Phase::Async {
        pipes.read_available();
    }
    let left_async = phase == Phase::Async && pipes.hand_to_async_watcher(child.tag(), deadline);
    let (ended, leftovers) = child.close(match phase {
        _ if !left_async && spec.leftovers == LeftoverProcesses::Ended => Survivors::None,
        Phase::Asked | Phase::Killed => Survivors::OutsideGroup,
        Phase::Running | Phase::Async => Survivors::All,
    });
    let (head, stderr_tail, stderr_cut) = pipes.into_output();
    let stderr_tail = secrets.redact_tail(stderr_tail, stderr_cut);
    let ended = match phase {
        Phase::Running => ended,
        Phase::Async if left_async => Ended::LeftAsync,
        Phase::Async => Ended::Unknown,
        Phase::Asked | Phase::Killed => Ended::TimedOut,
    };
    let took = started.elapsed();
    let (stdout, stdout_cut, stdout_rest) = (head.kept, head.cut, head.rest);
    Ok(FinishedProcess { ended, stdout, stdout_cut, stdout_rest, stderr_tail, stderr_cut, leftovers, took })
}

/// The steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// It continues without tenter.
    Async,
    /// It got SIGTERM.
    Asked,
    Killed,
}

/// Moves bytes until the process has ended.
///
/// At the deadline the rest of the group gets its grace even if the leader has ended, because a shell dies at once
/// while the program it ran still writes its files. Closed pipes show that the group is empty.
fn watch(
    child: &mut SupervisedChild,
    pipes: &mut Pipes<'_>,
    mut until: Instant,
    stop: Option<&AtomicBool>,
    detects_async: Option<fn(&[u8]) -> bool>,
) -> Phase {
    let mut phase = Phase::Running;
    let mut stdin_closed = false;
    loop {
        pipes.move_bytes();
        if !stdin_closed && phase == Phase::Running && pipes.conversation_is_over() {
            stdin_closed = true;
            until = until.min(Instant::now() + GRACE);
        }
        let exited = child.has_exited();
        let is_async =
            || detects_async.is_some_and(|detects| pipes.input_is_sent() && detects(pipes.output()));
        if !exited && phase == Phase::Running && is_async() {
            return Phase::Async;
        }
        let over = match phase {
            Phase::Running | Phase::Async | Phase::Killed => exited,
            Phase::Asked => exited && pipes.are_closed(),
        };
        if over {
            return phase;
        }
        let now = Instant::now();
        let mut next = child.tick(now).map_or(until, |next| next.min(until));
        if let Some(stop) = stop.filter(|_| phase == Phase::Running) {
            until = if stop.load(Ordering::Relaxed) { now } else { until };
            next = next.min(now + CHECK_INTERVAL);
        }
        if now < until {
            let longest = next.saturating_duration_since(now);
            // The exit descriptor of an ended process stays readable for ever.
            if exited {
                poll_for(&mut pipes.poll_fds(), longest);
            } else {
                poll_with_exit(pipes.poll_fds(), child.exit_fd(), longest);
            }
            continue;
        }
        (phase, until) = match phase {
            Phase::Running => {
                child.signal(Signal::TERM);
                (Phase::Asked, now + GRACE)
            }
            Phase::Asked => {
                child.signal(Signal::KILL);
                (Phase::Killed, now + KILL_TIMEOUT)
            }
            Phase::Async | Phase::Killed => return phase,
        };
    }
}

/// Waits until a descriptor is ready, the process has ended, or the time is over. Without an exit descriptor the wait
/// is at most [`TICK`], so that the caller can check for the end.
pub(crate) fn poll_with_exit<'fd>(
    mut fds: Vec<PollFd<'fd>>,
    exit_fd: Option<BorrowedFd<'fd>>,
    longest: Duration,
) {
    let longest = if exit_fd.is_some() { longest } else { longest.min(TICK) };
    fds.extend(exit_fd.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
    poll_for(&mut fds, longest);
}

fn poll_for(fds: &mut [PollFd<'_>], longest: Duration) {
    let timeout = Timespec::try_from(longest.min(LONGEST_POLL)).ok();
    match poll(fds, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(_) => std::thread::sleep(TICK),
    }
}

#[cfg(test)]
mod tests;
