//! Runs one process: starts it, feeds it, listens to it, and ends it with everything it started.
//!
//! ```text
//! group     the process and what stayed in its group      pipes   stdin, stdout, stderr
//! sweep     what left the group, found by tag or parent   sentinel  ends a run if we are killed
//! companion a process that answers more than once
//! ```
//!
//! One thread and one loop. Every descriptor is non-blocking, so neither a process that never reads its
//! stdin nor one that never stops writing can hold us; `poll` only tells when to try again.

mod group;
mod pipes;
mod tag;
#[cfg(target_os = "linux")]
mod processes;
mod sweep;
mod sentinel;
mod companion;
#[cfg(target_os = "linux")]
mod caretaker;
#[cfg(target_os = "linux")]
mod keeping;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tenter_contract::Remains;

use crate::complaints::KnownSecrets;

pub use companion::Companion;
use group::Group;
#[cfg(target_os = "linux")]
pub use keeping::{apart, end_children};
use pipes::Pipes;
pub(crate) use pipes::{Head, Partner, READ_LIMIT, STDERR_TAIL, Stream, Tail, read_once, read_rest};
use sentinel::Sentinel;
use sweep::Sweep;
pub use sweep::Swept;
pub(crate) use tag::{Tag, VARIABLE as TAG_VARIABLE};

/// Between asking a process to end and making it end.
pub(crate) const GRACE: Duration = Duration::from_millis(200);
/// How long a killed process may take to be gone; one that sleeps in the kernel can take for ever.
pub(crate) const LAST_PATIENCE: Duration = Duration::from_secs(1);
/// How often we look whether the process has ended, where the system cannot tell us.
pub(crate) const TICK: Duration = Duration::from_millis(5);
/// How often we look whether somebody wants the process to end.
const STOP_TICK: Duration = Duration::from_millis(50);
/// No single `poll` waits longer, because some systems count its time in small integers.
pub(crate) const LONGEST_NAP: Duration = Duration::from_mins(1);

/// A process to run.
pub(crate) struct Order<'a> {
    /// Program, arguments, environment and folder; stdio and the group are set here.
    pub(crate) command: Command,
    /// What it finds on its stdin, as far as it reads.
    pub(crate) stdin: &'a [u8],
    /// How much of its stdout is used. The rest is searched for a deny alone.
    pub(crate) max_stdout: usize,
    /// When it is ended.
    pub(crate) deadline: Instant,
    /// By what its processes are known.
    pub(crate) tag: Tag,
    /// What becomes of those it leaves behind.
    pub(crate) remains: Remains,
    /// Whose child it is.
    pub(crate) household: Household,
    /// Says that it is to end before its time, if somebody can say so.
    pub(crate) stop: Option<&'a AtomicBool>,
    /// Whether what it has printed says that nobody has to wait for it.
    pub(crate) goes_on: Option<fn(&[u8]) -> bool>,
}

/// Whose children the children of our process are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Household {
    /// Ours: what comes to us without a name was left behind by a hook.
    #[default]
    Own,
    /// Of a program that starts processes for other ends and in which we are a guest.
    Shared,
}

/// A process that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) ended: Ended,
    /// The beginning of its stdout.
    pub(crate) stdout: Vec<u8>,
    /// How many bytes followed.
    pub(crate) stdout_cut: u64,
    /// What followed, as far as it was kept.
    pub(crate) stdout_rest: Vec<u8>,
    /// The end of its stderr, where programs say what went wrong.
    pub(crate) stderr_tail: Vec<u8>,
    /// How many bytes went before.
    pub(crate) stderr_cut: u64,
    /// What it left behind.
    pub(crate) swept: Swept,
    /// From start to end.
    pub(crate) took: Duration,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signalled(i32),
    /// By us, when its time was up.
    TimedOut,
    /// Not yet: it said that nobody has to wait for it. It is ended when its time is up.
    GoesOn,
    /// Nobody knows: someone else reaped it (`SIGCHLD` was ignored when we were started).
    Unknown,
}

/// Runs a process to its end. The error is the reason why it could not be started.
///
/// Returns when the process itself is over, however many of its children still hold its stdout; those are
/// killed. After the deadline it takes at most [`GRACE`] plus a few times [`LAST_PATIENCE`].
pub(crate) fn run(order: Order<'_>) -> io::Result<Finished> {
    supervise(order, None)
}

/// Runs a process that is talked to: first it is told what the order says, then what the partner answers. When
/// the partner is done, stdin is closed and the process has [`GRACE`] to end by itself.
///
/// What it said is known to the partner; `Ended::TimedOut` only says that it had to be ended.
pub(crate) fn converse<'a>(order: Order<'a>, partner: &'a mut dyn Partner) -> io::Result<Finished> {
    supervise(order, Some(partner))
}

fn supervise<'a>(order: Order<'a>, partner: Option<&'a mut dyn Partner>) -> io::Result<Finished> {
    let Order { mut command, stdin, max_stdout, deadline, tag, remains, household, stop, goes_on } = order;
    let started = Instant::now();
    let secrets = KnownSecrets::of(&command);
    command.env(TAG_VARIABLE, tag.value());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Dropped in the reverse order: the group, the sentinel, and then all that is left.
    let mut sweep = Sweep::prepare(&tag, household);
    let mut sentinel = match remains {
        Remains::Ended => Sentinel::of_run(started),
        Remains::Detached => Sentinel::absent(),
    };
    let mut group = Group::spawn(command)?;
    sweep.of_group(group.pid());
    let mut pipes = Pipes::of(group.leader(), stdin, max_stdout)?.with_partner(partner);
    let limits = Limits { deadline, stop, goes_on };
    let phase = watch(&group, &mut pipes, &limits, &mut |now| {
        sentinel.tick(now, &tag, group.pid(), household);
        sentinel.due()
    });
    if phase != Phase::Left {
        pipes.read_what_is_there();
    }
    let left = phase == Phase::Left && pipes.hand_over(&tag, deadline);
    let remains = if left { Remains::Detached } else { remains };
    let status = match (remains, phase) {
        (Remains::Detached, Phase::Running | Phase::Left) => group.leave(),
        (Remains::Detached, Phase::Asked | Phase::Killed) | (Remains::Ended, _) => group.end(),
    };
    sentinel.relieve();
    let swept = match remains {
        Remains::Ended => sweep.finish(),
        Remains::Detached => sweep.leave(),
    };
    let (head, stderr_tail, stderr_cut) = pipes.into_heard();
    let stderr_tail = secrets.hide_in(stderr_tail, stderr_cut);
    let ended = match phase {
        Phase::Running => status.map_or(Ended::Unknown, ended_by),
        Phase::Left if left => Ended::GoesOn,
        Phase::Left => Ended::Unknown,
        Phase::Asked | Phase::Killed => Ended::TimedOut,
    };
    let took = started.elapsed();
    let (stdout, stdout_cut, stdout_rest) = (head.kept, head.cut, head.rest);
    Ok(Finished { ended, stdout, stdout_cut, stdout_rest, stderr_tail, stderr_cut, swept, took })
}

/// How long it is watched.
struct Limits<'a> {
    deadline: Instant,
    stop: Option<&'a AtomicBool>,
    goes_on: Option<fn(&[u8]) -> bool>,
}

/// How far we had to go to end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// It goes on, and we do not wait for it.
    Left,
    Asked,
    Killed,
}

/// Moves bytes until the process is over.
///
/// When its time was up, what is left of the group keeps its grace even if the leader is gone, because a
/// shell dies at once while the program it ran still puts its files in order. Closed pipes say that nobody
/// is left. `tick` is told the time now and then, and says when it wants to be told again.
fn watch(
    group: &Group,
    pipes: &mut Pipes<'_>,
    &Limits { deadline, stop, goes_on }: &Limits<'_>,
    tick: &mut dyn FnMut(Instant) -> Option<Instant>,
) -> Phase {
    let (mut phase, mut until) = (Phase::Running, deadline);
    let mut dismissed = false;
    loop {
        pipes.move_bytes();
        if !dismissed && phase == Phase::Running && pipes.said_goodbye() {
            dismissed = true;
            until = until.min(Instant::now() + GRACE);
        }
        let exited = group.has_exited();
        let is_released = || goes_on.is_some_and(|goes_on| pipes.has_said_all() && goes_on(pipes.heard()));
        if !exited && phase == Phase::Running && is_released() {
            return Phase::Left;
        }
        let over = match phase {
            Phase::Running | Phase::Left | Phase::Killed => exited,
            Phase::Asked => exited && pipes.are_closed(),
        };
        if over {
            return phase;
        }
        let now = Instant::now();
        let mut next = tick(now).map_or(until, |next| next.min(until));
        if let Some(stop) = stop.filter(|_| phase == Phase::Running) {
            until = if stop.load(Ordering::Relaxed) { now } else { until };
            next = next.min(now + STOP_TICK);
        }
        if now < until {
            nap(group, pipes, exited, next.saturating_duration_since(now));
            continue;
        }
        (phase, until) = match phase {
            Phase::Running => {
                group.signal(Signal::TERM);
                (Phase::Asked, now + GRACE)
            }
            Phase::Asked => {
                group.signal(Signal::KILL);
                (Phase::Killed, now + LAST_PATIENCE)
            }
            Phase::Left | Phase::Killed => return phase,
        };
    }
}

/// Sleeps until a pipe is ready, the process has ended, or the time is over.
fn nap(group: &Group, pipes: &Pipes<'_>, exited: bool, longest: Duration) {
    let mut fds = pipes.poll_fds();
    // The bell of a process that has ended rings for ever.
    let bell = group.bell().filter(|_| !exited);
    if let Some(bell) = bell {
        fds.push(PollFd::from_borrowed_fd(bell, PollFlags::IN));
    }
    let must_look = bell.is_none() && !exited;
    let longest = longest.min(if must_look { TICK } else { LONGEST_NAP });
    let timeout = Timespec::try_from(longest).ok();
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(_) => std::thread::sleep(TICK),
    }
}

/// How a status says that it ended.
fn ended_by(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signalled(signal),
        (None, None) => Ended::Unknown,
    }
}

#[cfg(test)]
mod tests;
