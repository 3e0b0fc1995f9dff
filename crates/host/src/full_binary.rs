//! Runs the full binary: `tenter-hook` becomes the `tenter` in the same folder where it must.
//!
//! The folder is that of the running program, links followed, and never the search path: that `tenter` was installed
//! together with this program. Both must be of one build. `tenter-hook` passes its build with the call. If the builds
//! differ, `tenter` runs only the kinds of hooks that both can run; the others fail as missing, and the user is notified.

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

/// The build: the same text in both programs, if they were built together.
pub const BUILD: &str = env!("TENTER_BUILD");

/// Names the build, the process and the start of the `tenter-hook` that handed over. Processes that inherit the variable
/// have other ids and ignore it.
const VARIABLE: &str = "TENTER_HANDED_OVER";

/// The full binary in the folder of this program.
pub struct ExecFullBinary {
    started: Instant,
    failure: OnceLock<String>,
}

impl ExecFullBinary {
    /// The full binary for a process that started then.
    pub fn new(started: Instant) -> Self {
        Self { started, failure: OnceLock::new() }
    }

    /// Replaces this process by the full binary with the same arguments, and with this payload instead of stdin if there
    /// is one. Returns only if that is not possible, with the reason.
    pub fn exec_full_binary(&self, payload: Option<&[u8]>) -> String {
        let exec = || -> io::Result<(PathBuf, io::Error)> {
            let program = own_program()?.with_file_name("tenter");
            let mut command = Command::new(&program);
            command.arg("hook").args(arguments::of_process()).env(VARIABLE, self.handover());
            if let Some(payload) = payload {
                command.stdin(in_memory(payload)?);
            }
            let failure = command.exec();
            Ok((program, failure))
        };
        match exec() {
            Ok((program, failure)) => format!("{} cannot be run: {failure}", program.display()),
            Err(error) => format!("it cannot be handed the payload: {error}"),
        }
    }

    fn handover(&self) -> String {
        let started = monotonic().saturating_sub(self.started.elapsed());
        format!("{BUILD} {} {}", std::process::id(), started.as_nanos())
    }
}

impl FullBinary for ExecFullBinary {
    fn exec(&self, payload: &[u8]) {
        let failure = self.exec_full_binary(Some(payload));
        let _ = self.failure.set(failure);
    }

    fn unavailable_reason(&self) -> String {
        self.failure.get().cloned().unwrap_or_else(|| "it was not needed before".to_owned())
    }
}

/// A file in memory with this content.
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

/// A file without a name, where there are no files in memory.
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

/// What `tenter-hook` passes to the full binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The build of `tenter-hook`.
    pub build: String,
    /// When the agent's call began. The agent's time limit counts from here.
    pub started: Instant,
}

impl Handover {
    /// Reads the environment, if `tenter-hook` handed a call over to this process.
    pub fn from_environment() -> Option<Self> {
        let handover = std::env::var(VARIABLE).ok()?;
        let mut words = handover.split(' ');
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

/// The full binary of another build, which does not run.
pub(crate) struct OtherBuild {
    pub(crate) build: String,
}

impl FullBinary for OtherBuild {
    fn exec(&self, _: &[u8]) {}

    fn unavailable_reason(&self) -> String {
        let other = &self.build;
        format!(
            "tenter-hook is of build {other}, and tenter in the same folder is of build {BUILD}\nhint: install both from one build; `tenter doctor` shows the versions"
        )
    }
}
