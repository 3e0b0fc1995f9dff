//! `tenter-hook` and the `tenter` beside it: the small program becomes the whole one where it must.
//!
//! "Beside" is where the running program truly lies, links followed, and never the search path: what runs
//! then was installed together with us. The two must also be of one build. The small one says which build
//! it is when it hands over; the whole one compares, and if they differ it runs only the kinds of hooks
//! that both know to run, so that the others fail as missing, which is told.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
#[cfg(not(target_os = "linux"))]
use std::{fs::OpenOptions, os::unix::fs::OpenOptionsExt};

#[cfg(target_os = "linux")]
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::time::{ClockId, clock_gettime};
use tenter_contract::ports::FullBinary;

use crate::arguments;
use crate::program::own_program;

/// Which build this is: the same text in both programs, if they were built together.
pub const BUILD: &str = env!("TENTER_BUILD");

/// Tells the whole program that it was handed a call: the small one's build and process, and when it started.
/// Programs that inherit the variable from us are other processes, and so it says nothing to them.
const VARIABLE: &str = "TENTER_HANDED_OVER";

/// The `tenter` beside the program that runs.
pub struct Beside {
    started: Instant,
    failure: OnceLock<String>,
}

impl Beside {
    /// For a process that started then.
    pub fn of_process(started: Instant) -> Self {
        Self { started, failure: OnceLock::new() }
    }

    /// Becomes the whole program with the arguments we have ourselves; stdin is what it says, else ours.
    /// Returns only if that is not possible, with the reason.
    pub fn become_whole(&self, payload: Option<&[u8]>) -> String {
        let tried = || -> io::Result<(PathBuf, io::Error)> {
            let program = own_program()?.with_file_name("tenter");
            let mut command = Command::new(&program);
            command.arg("hook").args(arguments::of_process()).env(VARIABLE, self.greeting());
            if let Some(payload) = payload {
                command.stdin(in_memory(payload)?);
            }
            let failure = command.exec();
            Ok((program, failure))
        };
        match tried() {
            Ok((program, failure)) => format!("{} cannot be run: {failure}", program.display()),
            Err(error) => format!("it cannot be handed the payload: {error}"),
        }
    }

    fn greeting(&self) -> String {
        let started = monotonic().saturating_sub(self.started.elapsed());
        format!("{BUILD} {} {}", std::process::id(), started.as_nanos())
    }
}

impl FullBinary for Beside {
    fn exec(&self, payload: &[u8]) {
        let failure = self.become_whole(Some(payload));
        let _ = self.failure.set(failure);
    }

    fn unavailable_reason(&self) -> String {
        self.failure.get().cloned().unwrap_or_else(|| "it was not needed before".to_owned())
    }
}

/// A file that is nowhere on a disk and gone with its last reader.
#[cfg(target_os = "linux")]
pub fn in_memory(payload: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("tenter", MemfdFlags::CLOEXEC)?);
    match file.write_all(payload).and_then(|()| file.rewind()) {
        Ok(()) => Ok(file),
        Err(error) => in_pipe(payload).map_err(|_| error),
    }
}

/// Under `ulimit -f` no file can be written, not even in memory; a pipe can, as far as its buffer reaches.
#[cfg(target_os = "linux")]
fn in_pipe(payload: &[u8]) -> io::Result<File> {
    use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let _ = fcntl_setpipe_size(&writer, payload.len().max(4096));
    File::from(writer).write_all(payload)?;
    rustix::fs::fcntl_setfl(&reader, rustix::fs::OFlags::empty())?;
    Ok(File::from(reader))
}

/// Where there are no such files: one without a name.
#[cfg(not(target_os = "linux"))]
pub fn in_memory(payload: &[u8]) -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("tenter-payload-{}", std::process::id()));
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    file.write_all(payload)?;
    file.rewind()?;
    Ok(file)
}

fn monotonic() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
}

/// What the small program told the whole one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOver {
    /// Its build.
    pub build: String,
    /// When the agent's call began, which is what its patience counts from.
    pub started: Instant,
}

impl HandedOver {
    /// What the environment says, if we were handed over to.
    pub fn from_environment() -> Option<Self> {
        let greeting = std::env::var(VARIABLE).ok()?;
        let mut words = greeting.split(' ');
        let (build, process, started) = (words.next()?, words.next()?, words.next()?);
        if process.parse() != Ok(std::process::id()) {
            return None;
        }
        let started = Duration::from_nanos(started.parse().ok()?);
        let ago = monotonic().saturating_sub(started);
        let now = Instant::now();
        Some(Self { build: build.to_owned(), started: now.checked_sub(ago).unwrap_or(now) })
    }

    /// Whether the two programs were not built together.
    pub fn is_foreign(&self) -> bool {
        self.build != BUILD
    }
}

/// Where the two programs are of two builds: the kinds of hooks that only one of them runs, nobody runs.
pub(crate) struct OtherBuild {
    /// The build that handed over.
    pub(crate) build: String,
}

impl FullBinary for OtherBuild {
    fn exec(&self, _: &[u8]) {}

    fn unavailable_reason(&self) -> String {
        let other = &self.build;
        format!(
            "tenter-hook is of build {other}, the tenter beside it of build {BUILD}\nhint: install both of one build, and see what `tenter doctor` says"
        )
    }
}
