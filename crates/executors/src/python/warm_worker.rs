//! Workers that outlive their event (`keep`): found by a socket, ended by a supervisor process.
//!
//! Calls share a worker if they come from the same agent process and project, with the same interpreter, folder, layer
//! and environment rules, by the same build. All of that is in the name of the socket.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::{Pid, PidfdFlags, Signal, getuid, pidfd_open, pidfd_send_signal};

use super::exchange::{GREETING, OutputPipes, WorkerProcess};
use super::worker::{WorkerKey, command, sources};
use crate::caller::Caller;
use crate::command::home;
use crate::supervise::{GRACE, KILL_TIMEOUT, RunTag, TAG_VARIABLE};

/// A worker is replaced after this time.
const LONGEST_LIFE: Duration = Duration::from_hours(1);
/// An idle worker greets at once; one that does not is busy with another call.
const GREETED_WITHIN: Duration = Duration::from_millis(50);
/// The name of a socket must fit into 108 bytes, with a number behind it.
const LONGEST_NAME: usize = 96;

/// The warm workers that this process uses.
#[derive(Default)]
pub(super) struct WarmWorkers {
    /// Started by this process, which must reap them if it lives long enough.
    started: Mutex<Vec<Child>>,
    in_use: Mutex<HashSet<PathBuf>>,
}

/// The socket of a worker.
pub(super) struct SocketAddress {
    path: PathBuf,
    caller: Option<Caller>,
}

/// A warm worker for one call.
pub(super) struct WarmWorker<'a> {
    pub(super) link: UnixStream,
    pub(super) is_new: bool,
    process: OwnedFd,
    path: PathBuf,
    warm_workers: &'a WarmWorkers,
}

/// The state of a socket.
pub(super) enum Lookup<W> {
    Waiting(W),
    /// The worker answers another call.
    Busy,
    None,
}

/// Why a worker is not kept; completes "its process was not kept: ".
pub(super) type Refusal = String;

impl SocketAddress {
    pub(super) fn new(
        key: &WorkerKey,
        project: Option<&str>,
        ours: &[(OsString, OsString)],
        caller: Option<&Caller>,
    ) -> Result<Self, Refusal> {
        let folder = socket_folder(ours)?;
        let caller = caller.cloned().or_else(Caller::find);
        let name = [1_u8, 2].map(|salt| {
            let mut hasher = DefaultHasher::new();
            (salt, key, project, &caller, getuid().as_raw(), sources()).hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        });
        let path = folder.join(name.concat());
        if path.as_os_str().len() > LONGEST_NAME {
            return Err(format!("the name of `{}` is too long for a socket", folder.display()));
        }
        Ok(Self { path, caller })
    }
}

/// The user's folder for sockets, else the one for state. Creates it, and refuses one that others can write to.
fn socket_folder(ours: &[(OsString, OsString)]) -> Result<PathBuf, Refusal> {
    let variable = |name: &str| {
        let value = ours.iter().find(|(known, _)| known == name).map(|(_, value)| PathBuf::from(value));
        value.filter(|path| path.is_absolute())
    };
    let state = || variable("XDG_STATE_HOME").or_else(|| Some(home::find(ours)?.join(".local/state")));
    let base = variable("XDG_RUNTIME_DIR").filter(|folder| folder.is_dir()).or_else(state);
    let folder = base.ok_or("there is no folder for its socket")?.join("tenter/workers");
    let created = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    let unusable = |error: io::Error| format!("`{}`: {error}", folder.display());
    created.map_err(unusable)?;
    let found = fs::symlink_metadata(&folder).map_err(unusable)?;
    if !found.is_dir() || found.uid() != getuid().as_raw() || found.mode() & 0o077 != 0 {
        let folder = folder.display();
        return Err(format!("others may write to `{folder}`; type `chmod 700 {folder}` if it is yours"));
    }
    Ok(folder)
}

impl WarmWorkers {
    pub(super) fn find(&self, address: &SocketAddress) -> Result<Lookup<WarmWorker<'_>>, Refusal> {
        if !self.reserve(&address.path) {
            return Ok(Lookup::Busy);
        }
        let found = connect_to(&address.path);
        if !matches!(found, Ok(Lookup::Waiting(_))) {
            self.release(&address.path);
        }
        Ok(match found? {
            Lookup::Waiting((link, process)) => Lookup::Waiting(self.reserved(link, process, address, false)),
            Lookup::Busy => Lookup::Busy,
            Lookup::None => Lookup::None,
        })
    }

    /// Starts a worker, which replaces an earlier one. `None` if another thread has just done so.
    pub(super) fn start(
        &self,
        address: &SocketAddress,
        key: &WorkerKey,
        variables: &BTreeMap<OsString, OsString>,
        (tag, keep): (&RunTag, Duration),
        pipes: &OutputPipes,
    ) -> io::Result<Option<WarmWorker<'_>>> {
        if !self.reserve(&address.path) {
            return Ok(None);
        }
        let started = UnixStream::pair().and_then(|(link, theirs)| {
            let mut command = command(key, variables, theirs, pipes)?;
            command.env(TAG_VARIABLE, tag.value_outside("worker")).process_group(0);
            let (pid, start) =
                address.caller.as_ref().map_or((0, ""), |caller| (caller.pid, caller.start.as_str()));
            let seconds = |time: Duration| format!("{:.3}", time.as_secs_f64());
            command.arg(&address.path).args([seconds(keep.min(LONGEST_LIFE)), seconds(LONGEST_LIFE)]);
            command.args([pid.to_string(), start.to_owned()]);
            let child = command.spawn()?;
            let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
            self.started.lock().unwrap_or_else(PoisonError::into_inner).push(child);
            Ok((link, process))
        });
        if started.is_err() {
            self.release(&address.path);
        }
        started.map(|(link, process)| Some(self.reserved(link, process, address, true)))
    }

    /// Reaps those that have ended.
    pub(super) fn reap(&self) {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    }

    fn reserved(
        &self,
        link: UnixStream,
        process: OwnedFd,
        address: &SocketAddress,
        is_new: bool,
    ) -> WarmWorker<'_> {
        WarmWorker { link, is_new, process, path: address.path.clone(), warm_workers: self }
    }

    fn reserve(&self, path: &Path) -> bool {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned())
    }

    fn release(&self, path: &Path) {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }
}

/// Connects to a socket and waits for the greeting. A socket of another user is refused.
fn connect_to(path: &Path) -> Result<Lookup<(UnixStream, OwnedFd)>, Refusal> {
    let foreign = || format!("`{}` belongs to another user", path.display());
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() && found.uid() == getuid().as_raw() => {}
        Ok(_) => return Err(foreign()),
        Err(_) => return Ok(Lookup::None),
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let link = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
    let Ok(link) = link else { return Ok(Lookup::Busy) };
    let Ok(address) = SocketAddrUnix::new(path) else { return Ok(Lookup::Busy) };
    match connect(&link, &address) {
        Ok(()) => {}
        // The backlog is full.
        Err(Errno::AGAIN) => return Ok(Lookup::Busy),
        Err(_) => return Ok(Lookup::None),
    }
    let peer = rustix::net::sockopt::socket_peercred(&link).ok().filter(|peer| peer.uid == getuid());
    let peer = peer.ok_or_else(foreign)?;
    let Ok(process) = pidfd_open(peer.pid, PidfdFlags::empty()) else { return Ok(Lookup::None) };
    let mut link = UnixStream::from(link);
    let until = Instant::now() + GREETED_WITHIN;
    loop {
        let mut greeting = [0];
        match link.read(&mut greeting) {
            Ok(1) if greeting[0] == GREETING => return Ok(Lookup::Waiting((link, process))),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // It is just ending.
            Ok(_) | Err(_) => return Ok(Lookup::None),
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !wait_readable(link.as_fd(), left) {
            return Ok(Lookup::Busy);
        }
    }
}

fn wait_readable(fd: BorrowedFd<'_>, longest: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
    match poll(&mut fds, Timespec::try_from(longest).ok().as_ref()) {
        Ok(ready) => ready > 0,
        Err(error) => error == Errno::INTR,
    }
}

impl WarmWorker<'_> {
    /// Asks its supervisor to end it with everything it has started; kills the supervisor if that fails.
    pub(super) fn stop(self) {
        let _ = pidfd_send_signal(&self.process, Signal::TERM);
        if !wait_readable(self.process.as_fd(), 2 * GRACE + KILL_TIMEOUT) {
            let _ = pidfd_send_signal(&self.process, Signal::KILL);
        }
    }
}

impl Drop for WarmWorker<'_> {
    fn drop(&mut self) {
        self.warm_workers.release(&self.path);
    }
}

impl WorkerProcess for WarmWorker<'_> {
    fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.process.as_fd())
    }

    fn is_gone(&self) -> bool {
        wait_readable(self.process.as_fd(), Duration::ZERO)
    }

    fn tick(&mut self, _: Instant) -> Option<Instant> {
        None
    }
}

#[cfg(test)]
mod tests;
