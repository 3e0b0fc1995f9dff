//! A Python process that calls functions during one event.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use std::collections::BTreeMap;
use std::ffi::OsString;

use tenter_contract::{EnvInheritance, HookSpec, Layer, LeftoverProcesses};

use super::exchange::{OutputPipes, WorkerProcess};
use crate::supervise::{Ended, Leftovers, ProcessTree, RunTag, SupervisedChild};

/// The code on the command line of the interpreter: it reads the rest from its stdin. So a list of processes stays
/// readable, and the rest may be of any size.
pub(super) const BOOT: &str = include_str!("boot.py");
/// The rest: three files that `boot.py` runs, and three that those may need later, in the order that `boot.py` expects.
const SOURCES: [&str; 6] = [
    include_str!("modules.py"),
    include_str!("results.py"),
    include_str!("worker.py"),
    include_str!("warm_worker.py"),
    include_str!("../../../../python/tenter/__init__.py"),
    include_str!("origins.py"),
];

/// The bytes that a new interpreter reads first.
pub(super) fn sources() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SOURCES.iter().map(|source| source.len() + 4).sum());
    for source in SOURCES {
        // None of these files has four gigabytes.
        let length = u32::try_from(source.len()).unwrap_or_default();
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(source.as_bytes());
    }
    bytes
}

/// Hooks with equal keys share a process. Variables of the event and the working folder are set for every call and may
/// differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct WorkerKey {
    pub(super) interpreter: PathBuf,
    pub(super) folder: PathBuf,
    layer: Layer,
    inherit: Vec<String>,
    env: Vec<(String, String)>,
    /// Variables that the interpreter reads when it starts.
    startup: Vec<(OsString, OsString)>,
    pub(super) detached: bool,
}

impl WorkerKey {
    pub(super) fn new(
        hook: &HookSpec,
        interpreter: &Path,
        folder: &Path,
        variables: &BTreeMap<OsString, OsString>,
    ) -> Self {
        let for_python = |name: &OsString| {
            let name = name.as_encoded_bytes();
            name.starts_with(b"PYTHON") || name.starts_with(b"LD_") || name.starts_with(b"DYLD_")
        };
        let startup = variables.iter().filter(|(name, _)| for_python(name));
        Self {
            interpreter: interpreter.to_owned(),
            folder: folder.to_owned(),
            layer: hook.id.layer,
            inherit: match &hook.inherit_env {
                EnvInheritance::All => vec!["*".to_owned()],
                EnvInheritance::Minimal => Vec::new(),
                EnvInheritance::Named(names) => names.clone(),
            },
            env: hook.env.clone(),
            startup: startup.map(|(name, value)| (name.clone(), value.clone())).collect(),
            detached: hook.remains == LeftoverProcesses::Detached,
        }
    }

    /// Whether compiled files in its folder are ignored: trust in a project covers only its source.
    pub(super) fn reads_source_only(&self) -> bool {
        match self.layer {
            Layer::Project | Layer::Local => true,
            Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => false,
        }
    }

    fn leftovers(&self) -> LeftoverProcesses {
        if self.detached { LeftoverProcesses::Detached } else { LeftoverProcesses::Ended }
    }
}

/// A process that calls functions, one at a time.
pub(super) struct Worker {
    child: SupervisedChild,
    pub(super) link: UnixStream,
    /// The tag of its processes.
    pub(super) tag: String,
}

impl Worker {
    pub(super) fn start(
        key: &WorkerKey,
        variables: &BTreeMap<OsString, OsString>,
        tag: RunTag,
        pipes: &OutputPipes,
        process_tree: ProcessTree,
    ) -> io::Result<Self> {
        let (link, theirs) = UnixStream::pair()?;
        let command = command(key, variables, theirs, pipes)?;
        let value = tag.value();
        let child = SupervisedChild::start(command, tag, key.leftovers(), process_tree)?;
        Ok(Self { child, link, tag: value })
    }

    pub(super) fn is_ready(&self) -> bool {
        !self.child.has_exited()
    }

    /// Closes its input and lets it end.
    pub(super) fn finish(self) -> (Ended, Leftovers) {
        drop(self.link);
        self.child.finish_after_grace()
    }

    pub(super) fn stop(self) -> (Ended, Leftovers) {
        self.child.stop()
    }
}

impl WorkerProcess for Worker {
    fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.child.exit_fd()
    }

    fn is_gone(&self) -> bool {
        self.child.has_exited()
    }

    fn tick(&mut self, now: Instant) -> Option<Instant> {
        self.child.tick(now)
    }
}

/// The command of an interpreter that reads the rest from its stdin.
///
/// No `-I`, `-E` or `-s`: `inherit_env` and `interpreter` decide which variables of Python and which packages of the
/// user count. The working folder must not count, because the project controls its files: `boot.py` removes it from the
/// module path before it imports anything.
pub(super) fn command(
    key: &WorkerKey,
    variables: &BTreeMap<OsString, OsString>,
    link: UnixStream,
    pipes: &OutputPipes,
) -> io::Result<Command> {
    let mut command = Command::new(&key.interpreter);
    command.args(["-c", BOOT]).env_clear().envs(variables).current_dir("/");
    command.stdin(OwnedFd::from(link)).stdout(Stdio::null()).stderr(pipes.stderr()?);
    Ok(command)
}
