//! A shell for one command. All processes that it started end with it.

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use tenter_executors::{Ended, SupervisedChild};

use super::workspace::Workspace;

/// How often the stop flag is polled.
const POLL: Duration = Duration::from_millis(50);
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(200);
const CHUNK: usize = 64 * 1024;
/// The capacity of a pipe without privileges: further output was written after the shell had ended.
const LARGEST_PIPE: usize = 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShellEnd {
    ByItself(Ended),
    TimedOut,
    Stopped,
}

/// `bash` from the search path, or `/bin/sh`.
pub(super) fn find(at: &Workspace) -> PathBuf {
    let path = at.variable("PATH").map_or(OsStr::new("/usr/bin:/bin"), |path| path.as_os_str());
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bash"))
        .find(|file| file.is_file())
        .unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// Receives output as it arrives.
pub(super) trait OutputSink {
    fn receive(&mut self, bytes: &[u8]);
}

pub(super) struct RunningShell {
    process: SupervisedChild,
    streams: [PipeReader; 2],
    folder: PipeReader,
}

pub(super) struct FinishedShell<S> {
    pub(super) end: ShellEnd,
    pub(super) sinks: [S; 2],
    /// The last folder of the shell, if it reported one.
    pub(super) folder: Option<PathBuf>,
    /// Processes that still ran at its end.
    pub(super) left_behind: usize,
}

pub(super) fn start(mut command: Command, line: &str) -> io::Result<RunningShell> {
    // The shell reports its folder through a pipe that it receives as stdin; its commands get an empty stdin. All on
    // one line, so that error messages keep the line numbers of the command.
    let script = format!("exec 9>&0 </dev/null; trap 'pwd -P >&9 2>/dev/null' EXIT; {line}");
    let (stdout, to_stdout) = io::pipe()?;
    let (stderr, to_stderr) = io::pipe()?;
    let (folder, to_folder) = io::pipe()?;
    for reader in [&stdout, &stderr, &folder] {
        ioctl_fionbio(reader, true)?;
    }
    command.arg("-c").arg(script).stdin(to_folder).stdout(to_stdout).stderr(to_stderr);
    Ok(RunningShell { process: SupervisedChild::start_own(command)?, streams: [stdout, stderr], folder })
}

impl RunningShell {
    /// Reads output until the shell ends, at the latest at `until`.
    pub(super) fn run<S: OutputSink>(
        self,
        sinks: [S; 2],
        until: Option<Instant>,
        stop: &dyn Fn() -> bool,
    ) -> FinishedShell<S> {
        let Self { mut process, streams: [stdout, stderr], mut folder } = self;
        let [to_stdout, to_stderr] = sinks;
        let mut streams = [Stream::new(stdout, to_stdout), Stream::new(stderr, to_stderr)];
        let why = read_until_end(&mut process, &mut streams, until, stop);
        if why.is_some() {
            process.ask_to_end();
            let grace = Instant::now() + GRACE;
            while Instant::now() < grace
                && !(process.has_exited() && streams.iter().all(|stream| stream.from.is_none()))
            {
                wait_for_output(&process, &streams, Duration::from_millis(10));
                streams.iter_mut().for_each(Stream::read_once);
            }
        }
        streams.iter_mut().for_each(Stream::read_rest);
        let (ended, swept) = process.finish();
        let end = why.unwrap_or(ShellEnd::ByItself(ended));
        let sinks = streams.map(|stream| stream.sink);
        FinishedShell { end, sinks, folder: reported_folder(&mut folder), left_behind: swept.ended }
    }
}

/// Reads until the shell ends; otherwise returns why it must end.
fn read_until_end<S: OutputSink>(
    process: &mut SupervisedChild,
    streams: &mut [Stream<S>; 2],
    until: Option<Instant>,
    stop: &dyn Fn() -> bool,
) -> Option<ShellEnd> {
    loop {
        streams.iter_mut().for_each(Stream::read_once);
        if process.has_exited() {
            return None;
        }
        if stop() {
            return Some(ShellEnd::Stopped);
        }
        let now = Instant::now();
        if until.is_some_and(|until| now >= until) {
            return Some(ShellEnd::TimedOut);
        }
        let next = process.tick(now).into_iter().chain(until).min();
        let wait = next.map_or(POLL, |next| next.saturating_duration_since(now).min(POLL));
        wait_for_output(process, streams, wait);
    }
}

/// Waits until there is output, the shell has ended, or the time is over.
fn wait_for_output<S>(process: &SupervisedChild, streams: &[Stream<S>; 2], longest: Duration) {
    let mut fds: Vec<PollFd<'_>> = streams
        .iter()
        .filter_map(|stream| stream.from.as_ref())
        .map(|from| PollFd::new(from, PollFlags::IN))
        .collect();
    // The exit descriptor of an ended process is always ready.
    let exit_fd = process.exit_fd().filter(|_| !process.has_exited());
    let must_poll = exit_fd.is_none();
    fds.extend(exit_fd.map(|exit_fd| PollFd::from_borrowed_fd(exit_fd, PollFlags::IN)));
    let longest = if must_poll { longest.min(Duration::from_millis(5)) } else { longest };
    // A failed poll only shortens the wait.
    let _ = poll(&mut fds, Timespec::try_from(longest).ok().as_ref());
}

#[derive(Debug)]
struct Stream<S> {
    from: Option<PipeReader>,
    sink: S,
    chunk: Vec<u8>,
}

impl<S: OutputSink> Stream<S> {
    fn new(from: PipeReader, sink: S) -> Self {
        Self { from: Some(from), sink, chunk: vec![0; CHUNK] }
    }

    fn read_once(&mut self) {
        self.read();
    }

    /// Reads the rest, but not endless output of other processes.
    fn read_rest(&mut self) {
        let mut total = 0;
        while total < LARGEST_PIPE {
            match self.read() {
                0 => return,
                count => total += count,
            }
        }
    }

    fn read(&mut self) -> usize {
        let Some(from) = &mut self.from else {
            return 0;
        };
        match from.read(&mut self.chunk) {
            Ok(count @ 1..) => {
                self.sink.receive(&self.chunk[..count]);
                count
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => 0,
            Ok(0) | Err(_) => {
                self.from = None;
                0
            }
        }
    }
}

fn reported_folder(from: &mut PipeReader) -> Option<PathBuf> {
    let mut bytes = vec![0; 8 * 1024];
    let count = from.read(&mut bytes).ok()?;
    let folder = Path::new(OsStr::from_bytes(bytes[..count].strip_suffix(b"\n")?));
    (folder.is_absolute() && folder.is_dir()).then(|| folder.to_owned())
}
