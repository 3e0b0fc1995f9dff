//! Workers that outlive their event, because their hook says so: found again by a socket, ended in time by a keeper.
//!
//! Who may share one: calls on behalf of the same agent process, in the same project, with the same interpreter,
//! folder, layer and environment rules, by the same build. All of that is in the name of the socket.

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

use super::exchange::{GREETING, Peer, Prints};
use super::worker::{Kind, command, sources};
use crate::caller::Caller;
use crate::command::home;
use crate::supervise::{GRACE, LAST_PATIENCE, TAG_VARIABLE, Tag};

/// A worker is replaced after this time, however busy it is.
const LONGEST_LIFE: Duration = Duration::from_hours(1);
/// A worker that waits for us says so at once; one that does not is busy with another call.
const GREETED_WITHIN: Duration = Duration::from_millis(50);
/// The name of a socket must fit into 108 bytes, with a number behind it.
const LONGEST_NAME: usize = 96;

/// The keepers that this process has to do with.
#[derive(Default)]
pub(super) struct Keepers {
    /// Those it has started, which it must reap if it lives long enough.
    started: Mutex<Vec<Child>>,
    /// Those it is talking to.
    in_use: Mutex<HashSet<PathBuf>>,
}

/// Where the keeper of a kind of hooks is to be found.
pub(super) struct Address {
    path: PathBuf,
    caller: Option<Caller>,
}

/// A worker with a keeper, to be asked once.
pub(super) struct Kept<'a> {
    pub(super) link: UnixStream,
    pub(super) is_new: bool,
    process: OwnedFd,
    path: PathBuf,
    keepers: &'a Keepers,
}

/// Who is there.
pub(super) enum Found<'a> {
    /// A worker that waits.
    Waiting(Kept<'a>),
    /// One that is busy with another call.
    Busy,
    /// Nobody.
    Nobody,
}

/// Who answers at a socket.
enum Reached {
    Waiting(UnixStream, OwnedFd),
    Busy,
    Nobody,
}

/// Why a worker is not kept; reads on after "not kept: ".
pub(super) type Refusal = String;

impl Address {
    /// Where to look, in a folder that nobody else can write to.
    pub(super) fn of(
        kind: &Kind,
        project: Option<&str>,
        ours: &[(OsString, OsString)],
        caller: Option<&Caller>,
    ) -> Result<Self, Refusal> {
        let folder = folder(ours)?;
        let caller = caller.cloned().or_else(Caller::find);
        let name = [1_u8, 2].map(|salt| {
            let mut hasher = DefaultHasher::new();
            (salt, kind, project, &caller, getuid().as_raw(), sources()).hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        });
        let path = folder.join(name.concat());
        if path.as_os_str().len() > LONGEST_NAME {
            return Err(format!("the name of `{}` is too long for a socket", folder.display()));
        }
        Ok(Self { path, caller })
    }
}

/// The user's folder for sockets, else the one for state; made if it is not there.
fn folder(ours: &[(OsString, OsString)]) -> Result<PathBuf, Refusal> {
    let variable = |name: &str| {
        let value = ours.iter().find(|(known, _)| known == name).map(|(_, value)| PathBuf::from(value));
        value.filter(|path| path.is_absolute())
    };
    let state = || variable("XDG_STATE_HOME").or_else(|| Some(home::of(ours)?.join(".local/state")));
    let base = variable("XDG_RUNTIME_DIR").filter(|folder| folder.is_dir()).or_else(state);
    let folder = base.ok_or("there is no folder for its socket")?.join("tenter/keepers");
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    let unusable = |error: io::Error| format!("`{}`: {error}", folder.display());
    made.map_err(unusable)?;
    let found = fs::symlink_metadata(&folder).map_err(unusable)?;
    if !found.is_dir() || found.uid() != getuid().as_raw() || found.mode() & 0o077 != 0 {
        let folder = folder.display();
        return Err(format!("others may write to `{folder}`; type `chmod 700 {folder}` if it is yours"));
    }
    Ok(folder)
}

impl Keepers {
    /// Looks who is there.
    pub(super) fn find(&self, address: &Address) -> Result<Found<'_>, Refusal> {
        if !self.reserve(&address.path) {
            return Ok(Found::Busy);
        }
        match reach(&address.path) {
            Ok(Reached::Waiting(link, process)) => {
                Ok(Found::Waiting(self.kept(link, process, address, false)))
            }
            reached => {
                self.release(&address.path);
                reached
                    .map(|reached| if matches!(reached, Reached::Busy) { Found::Busy } else { Found::Nobody })
            }
        }
    }

    /// A new one, which takes the place of whoever was there. `None` if another thread has just done so.
    pub(super) fn start(
        &self,
        address: &Address,
        kind: &Kind,
        variables: &BTreeMap<OsString, OsString>,
        (tag, keep): (&Tag, Duration),
        prints: &Prints,
    ) -> io::Result<Option<Kept<'_>>> {
        if !self.reserve(&address.path) {
            return Ok(None);
        }
        let started = UnixStream::pair().and_then(|(link, theirs)| {
            let mut command = command(kind, variables, theirs, prints)?;
            command.env(TAG_VARIABLE, tag.value_outside("keeper")).process_group(0);
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
        match started {
            Ok((link, process)) => Ok(Some(self.kept(link, process, address, true))),
            Err(error) => {
                self.release(&address.path);
                Err(error)
            }
        }
    }

    /// Reaps those that have ended.
    pub(super) fn reap(&self) {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    }

    fn kept(&self, link: UnixStream, process: OwnedFd, address: &Address, is_new: bool) -> Kept<'_> {
        Kept { link, is_new, process, path: address.path.clone(), keepers: self }
    }

    fn reserve(&self, path: &Path) -> bool {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned())
    }

    fn release(&self, path: &Path) {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }
}

/// Calls whoever listens there. A socket that somebody else has put there, or listens at, is refused.
fn reach(path: &Path) -> Result<Reached, Refusal> {
    let foreign = || format!("`{}` belongs to somebody else", path.display());
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() && found.uid() == getuid().as_raw() => {}
        Ok(_) => return Err(foreign()),
        Err(_) => return Ok(Reached::Nobody),
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let link = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
    let Ok(link) = link else { return Ok(Reached::Busy) };
    let Ok(address) = SocketAddrUnix::new(path) else { return Ok(Reached::Busy) };
    match connect(&link, &address) {
        Ok(()) => {}
        // More callers wait than have room.
        Err(Errno::AGAIN) => return Ok(Reached::Busy),
        Err(_) => return Ok(Reached::Nobody),
    }
    let Ok(peer) = rustix::net::sockopt::socket_peercred(&link) else { return Err(foreign()) };
    if peer.uid != getuid() {
        return Err(foreign());
    }
    let Ok(process) = pidfd_open(peer.pid, PidfdFlags::empty()) else { return Ok(Reached::Nobody) };
    let mut link = UnixStream::from(link);
    let until = Instant::now() + GREETED_WITHIN;
    loop {
        let mut greeting = [0];
        match link.read(&mut greeting) {
            Ok(1) if greeting[0] == GREETING => return Ok(Reached::Waiting(link, process)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // It is just ending.
            Ok(_) | Err(_) => return Ok(Reached::Nobody),
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !wait_for(link.as_fd(), left) {
            return Ok(Reached::Busy);
        }
    }
}

/// Waits until a descriptor can be read; whether it can.
fn wait_for(fd: BorrowedFd<'_>, longest: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
    match poll(&mut fds, Timespec::try_from(longest).ok().as_ref()) {
        Ok(ready) => ready > 0,
        Err(error) => error == Errno::INTR,
    }
}

impl Kept<'_> {
    /// Makes it end with everything it has started, as its keeper does; and its keeper, if that does not.
    pub(super) fn stop(self) {
        let _ = pidfd_send_signal(&self.process, Signal::TERM);
        if !wait_for(self.process.as_fd(), 2 * GRACE + LAST_PATIENCE) {
            let _ = pidfd_send_signal(&self.process, Signal::KILL);
        }
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.keepers.release(&self.path);
    }
}

impl Peer for Kept<'_> {
    fn bell(&self) -> Option<BorrowedFd<'_>> {
        Some(self.process.as_fd())
    }

    fn is_gone(&self) -> bool {
        wait_for(self.process.as_fd(), Duration::ZERO)
    }

    fn tick(&mut self, _: Instant) -> Option<Instant> {
        None
    }
}

#[cfg(test)]
mod tests;
