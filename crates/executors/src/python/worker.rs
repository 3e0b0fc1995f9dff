//! A process of this event that calls functions.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use std::collections::BTreeMap;
use std::ffi::OsString;

use tenter_contract::{EnvInheritance, HookSpec, Layer, Remains};

use super::exchange::{Peer, Prints};
use crate::supervise::{Companion, Ended, Household, Swept, Tag};

/// What the interpreter is told on its command line: to read the rest from us. So a list of processes stays
/// readable, and the rest may be of any size.
pub(super) const BOOT: &str = include_str!("boot.py");
/// The rest: three files that `boot.py` runs, and three that those need sooner or later, in the order in which they
/// are counted there.
const SOURCES: [&str; 6] = [
    include_str!("modules.py"),
    include_str!("results.py"),
    include_str!("worker.py"),
    include_str!("keeper.py"),
    include_str!("../../../../python/tenter/__init__.py"),
    include_str!("origins.py"),
];

/// What a new interpreter reads first.
pub(super) fn sources() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SOURCES.iter().map(|source| source.len() + 4).sum());
    for source in SOURCES {
        // Files of ours, none of which has four gigabytes.
        let length = u32::try_from(source.len()).unwrap_or_default();
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(source.as_bytes());
    }
    bytes
}

/// What hooks must have in common to share a process. Variables of the event and the folder they run in may differ,
/// those are set for every call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) interpreter: PathBuf,
    pub(super) folder: PathBuf,
    layer: Layer,
    inherit: Vec<String>,
    env: Vec<(String, String)>,
    /// What the interpreter itself reads when it starts.
    startup: Vec<(OsString, OsString)>,
    pub(super) detached: bool,
}

impl Kind {
    pub(super) fn of(
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
            detached: hook.remains == Remains::Detached,
        }
    }

    /// Whether nothing but source counts in its folder: what a project brings along compiled was not looked at by
    /// whoever trusted it.
    pub(super) fn counts_source_alone(&self) -> bool {
        match self.layer {
            Layer::Project | Layer::Local => true,
            Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => false,
        }
    }

    fn remains(&self) -> Remains {
        if self.detached { Remains::Detached } else { Remains::Ended }
    }
}

/// A process that calls functions, one at a time.
pub(super) struct Worker {
    companion: Companion,
    pub(super) link: UnixStream,
    /// The mark that its processes carry.
    pub(super) mark: String,
}

impl Worker {
    /// Starts one.
    pub(super) fn start(
        kind: &Kind,
        variables: &BTreeMap<OsString, OsString>,
        tag: Tag,
        prints: &Prints,
        household: Household,
    ) -> io::Result<Self> {
        let (link, theirs) = UnixStream::pair()?;
        let command = command(kind, variables, theirs, prints)?;
        let mark = tag.value();
        let companion = Companion::start(command, tag, kind.remains(), household)?;
        Ok(Self { companion, link, mark })
    }

    /// Whether it can be asked.
    pub(super) fn is_ready(&self) -> bool {
        !self.companion.has_exited()
    }

    /// Lets it end, because there is nothing left to do.
    pub(super) fn part(self) -> (Ended, Swept) {
        drop(self.link);
        self.companion.part()
    }

    /// Makes it end.
    pub(super) fn stop(self) -> (Ended, Swept) {
        self.companion.stop()
    }
}

impl Peer for Worker {
    fn bell(&self) -> Option<BorrowedFd<'_>> {
        self.companion.bell()
    }

    fn is_gone(&self) -> bool {
        self.companion.has_exited()
    }

    fn tick(&mut self, now: Instant) -> Option<Instant> {
        self.companion.tick(now)
    }
}

/// An interpreter that will read the rest from its stdin.
///
/// No `-I`, `-E` or `-s`: which variables of Python's own and which packages of the user count is what
/// `inherit_env` and `interpreter` are for. What must not count is the folder that the hook runs in, since the
/// project decides what lies there: `boot.py` takes it off the module path before it imports anything.
pub(super) fn command(
    kind: &Kind,
    variables: &BTreeMap<OsString, OsString>,
    link: UnixStream,
    prints: &Prints,
) -> io::Result<Command> {
    let mut command = Command::new(&kind.interpreter);
    command.args(["-c", BOOT]).env_clear().envs(variables).current_dir("/");
    command.stdin(OwnedFd::from(link)).stdout(Stdio::null()).stderr(prints.complaints()?);
    Ok(command)
}
