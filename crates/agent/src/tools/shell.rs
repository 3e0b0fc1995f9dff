//! A shell that runs one command, and is over with everything it started.

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use tenter_executors::{Companion, Ended};

use super::caught::Caught;
use super::workplace::Workplace;

/// How often we look whether somebody wants it to end.
const LOOK: Duration = Duration::from_millis(50);
/// Between asking it to end and making it end.
const GRACE: Duration = Duration::from_millis(200);
/// What one read takes: a pipe's usual size.
const CHUNK: usize = 64 * 1024;
/// The most a pipe can hold without privileges: more than that was written after the shell had ended.
const LARGEST_PIPE: usize = 1024 * 1024;

/// A command that is over.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) end: End,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Where the shell was in the end, if it could say so.
    pub(super) folder: Option<PathBuf>,
    /// So many processes still ran when it had ended.
    pub(super) left_behind: usize,
}

/// Why it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    ByItself(Ended),
    TimedOut,
    Stopped,
}

/// The shell: `bash` if it is on the search path, or the one that every system has.
pub(super) fn find(at: &Workplace) -> PathBuf {
    let path = at.variable("PATH").map_or(OsStr::new("/usr/bin:/bin"), |path| path.as_os_str());
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bash"))
        .find(|file| file.is_file())
        .unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// Runs a command to its end. The error says why it could not be started.
pub(super) fn run(
    command: Command,
    line: &str,
    time: Duration,
    spills: &Path,
    stop: &dyn Fn() -> bool,
) -> io::Result<Over> {
    let until = Instant::now() + time;
    let sinks = [Caught::new("stdout", spills), Caught::new("stderr", spills)];
    let Heard { end, sinks: [stdout, stderr], folder, left_behind } =
        start(command, line)?.listen(sinks, Some(until), stop);
    Ok(Over { end, stdout: stdout.into_text(), stderr: stderr.into_text(), folder, left_behind })
}

/// Where what a command writes goes, as it comes.
pub(super) trait Takes {
    /// Takes what comes next.
    fn take(&mut self, bytes: &[u8]);
}

impl Takes for Caught {
    fn take(&mut self, bytes: &[u8]) {
        Self::take(self, bytes);
    }
}

/// A shell that runs.
pub(super) struct Started {
    process: Companion,
    streams: [PipeReader; 2],
    folder: PipeReader,
}

/// What was heard of it until its end.
pub(super) struct Heard<S> {
    pub(super) end: End,
    sinks: [S; 2],
    folder: Option<PathBuf>,
    left_behind: usize,
}

/// Starts a command.
pub(super) fn start(mut command: Command, line: &str) -> io::Result<Started> {
    // The shell says where it is through a pipe that comes as its stdin, because only that can be handed over
    // without a file; what it runs finds an empty stdin. On one line with the command, so that the lines of the
    // command keep their numbers.
    let script = format!("exec 9>&0 </dev/null; trap 'pwd -P >&9 2>/dev/null' EXIT; {line}");
    let (stdout, to_stdout) = io::pipe()?;
    let (stderr, to_stderr) = io::pipe()?;
    let (folder, to_folder) = io::pipe()?;
    for reader in [&stdout, &stderr, &folder] {
        ioctl_fionbio(reader, true)?;
    }
    command.arg("-c").arg(script).stdin(to_folder).stdout(to_stdout).stderr(to_stderr);
    Ok(Started { process: Companion::of_our_own(command)?, streams: [stdout, stderr], folder })
}

impl Started {
    /// Hears it to its end, which comes with the time at the latest, if it has one.
    pub(super) fn listen<S: Takes>(
        self,
        sinks: [S; 2],
        until: Option<Instant>,
        stop: &dyn Fn() -> bool,
    ) -> Heard<S> {
        let Self { mut process, streams: [stdout, stderr], mut folder } = self;
        let [to_stdout, to_stderr] = sinks;
        let mut streams = [Stream::new(stdout, to_stdout), Stream::new(stderr, to_stderr)];
        let why = watch(&mut process, &mut streams, until, stop);
        if why.is_some() {
            process.ask_to_end();
            let grace = Instant::now() + GRACE;
            while Instant::now() < grace && !(process.has_exited() && streams.iter().all(Stream::is_closed)) {
                nap(&process, &streams, Duration::from_millis(10));
                streams.iter_mut().for_each(Stream::read_once);
            }
        }
        streams.iter_mut().for_each(Stream::read_rest);
        let (ended, swept) = process.finish();
        let end = why.unwrap_or(End::ByItself(ended));
        let sinks = streams.map(|stream| stream.sink);
        Heard { end, sinks, folder: said_folder(&mut folder), left_behind: swept.ended }
    }
}

/// Reads until the shell has ended; otherwise says why it must end.
fn watch<S: Takes>(
    process: &mut Companion,
    streams: &mut [Stream<S>; 2],
    until: Option<Instant>,
    stop: &dyn Fn() -> bool,
) -> Option<End> {
    loop {
        streams.iter_mut().for_each(Stream::read_once);
        if process.has_exited() {
            return None;
        }
        if stop() {
            return Some(End::Stopped);
        }
        let now = Instant::now();
        if until.is_some_and(|until| now >= until) {
            return Some(End::TimedOut);
        }
        let next = process.tick(now).into_iter().chain(until).min();
        nap(process, streams, next.map_or(LOOK, |next| next.saturating_duration_since(now).min(LOOK)));
    }
}

/// Sleeps until something is to be read, the shell has ended, or the time is over.
fn nap<S>(process: &Companion, streams: &[Stream<S>; 2], longest: Duration) {
    let mut fds: Vec<PollFd<'_>> = streams
        .iter()
        .filter_map(|stream| stream.from.as_ref())
        .map(|from| PollFd::new(from, PollFlags::IN))
        .collect();
    // The bell of a process that has ended rings for ever.
    let bell = process.bell().filter(|_| !process.has_exited());
    let must_look = bell.is_none();
    fds.extend(bell.map(|bell| PollFd::from_borrowed_fd(bell, PollFlags::IN)));
    let longest = if must_look { longest.min(Duration::from_millis(5)) } else { longest };
    // A poll that fails is a nap that was too short.
    let _ = poll(&mut fds, Timespec::try_from(longest).ok().as_ref());
}

/// What one pipe brings.
#[derive(Debug)]
struct Stream<S> {
    from: Option<PipeReader>,
    sink: S,
    chunk: Vec<u8>,
}

impl<S: Takes> Stream<S> {
    fn new(from: PipeReader, sink: S) -> Self {
        Self { from: Some(from), sink, chunk: vec![0; CHUNK] }
    }

    /// Whether nobody can write to it any more.
    fn is_closed(&self) -> bool {
        self.from.is_none()
    }

    fn read_once(&mut self) {
        self.read();
    }

    /// Reads what is there, and not what others still pour in.
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
                self.sink.take(&self.chunk[..count]);
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

/// What the shell said about where it is, if it is a folder.
fn said_folder(from: &mut PipeReader) -> Option<PathBuf> {
    let mut said = vec![0; 8 * 1024];
    let count = from.read(&mut said).ok()?;
    let said = said[..count].strip_suffix(b"\n")?;
    let folder = Path::new(OsStr::from_bytes(said));
    (folder.is_absolute() && folder.is_dir()).then(|| folder.to_owned())
}
