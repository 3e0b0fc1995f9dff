//! The keys of models, out of the reach of whatever the agent runs.
//!
//! What a process was started with is in `/proc/PID/environ` until it ends, for every program of the same user,
//! and hooks, commands and servers inherit it; to take a variable back changes neither. So a program that finds keys
//! there hands them to itself: it becomes the same program once more, in the same process and without them, and they
//! come along in a file in memory that is read and closed before anything else runs.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};
use tenter_agent::HiddenKeys;
use tenter_host::full_binary::in_memory;
use tenter_models::client::key_variables;

/// Says where the keys are: the process that is meant, and its descriptor. Programs that inherit the variable are other
/// processes, and so it says nothing to them.
const VARIABLE: &str = "TENTER_KEYS_HANDED_OVER";

#[derive(Default)]
pub(crate) struct Keys(Vec<(OsString, OsString)>);

impl Keys {
    /// Takes them. If they are in the environment, this process becomes one in which they do not, and gets here once
    /// more; then the call does not return. Called once.
    pub(crate) fn taken() -> io::Result<Self> {
        if let Some(descriptor) = handed_over() {
            return received(descriptor);
        }
        let set = |name| Some((OsString::from(name), std::env::var_os(name).filter(|key| !key.is_empty())?));
        let found: Vec<_> = key_variables().filter_map(set).collect();
        if found.is_empty() {
            return Ok(Self::default());
        }
        Err(hand_over(&Self(found))?)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    pub(crate) fn with_environment(&self) -> Vec<(OsString, OsString)> {
        self.0.iter().cloned().chain(std::env::vars_os()).collect()
    }

    /// What is to be hidden wherever a user has found one of them after all.
    pub(crate) fn hidden(&self) -> HiddenKeys {
        HiddenKeys::new(self.0.iter().filter_map(|(_, key)| key.to_str()))
    }

    /// As the system writes an environment: names and keys have no zero in them.
    fn to_bytes(&self) -> Vec<u8> {
        let line =
            |(name, key): &(OsString, OsString)| [name.as_bytes(), b"=", key.as_bytes(), b"\0"].concat();
        self.0.iter().flat_map(line).collect()
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let read = |line: &[u8]| {
            let at = line.iter().position(|byte| *byte == b'=')?;
            let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            Some((text(&line[..at]), text(&line[at + 1..])))
        };
        Self(bytes.split(|byte| *byte == 0).filter_map(read).collect())
    }
}

/// What commands and servers of the agent find in their environment: all but keys. Also an empty one is none of theirs.
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    let is_ours = |name: &OsStr| name == VARIABLE || key_variables().any(|key| name == key);
    std::env::vars_os().filter(|(name, _)| !is_ours(name)).collect()
}

/// Becomes the same program without the keys. Returns why that is not possible.
fn hand_over(keys: &Keys) -> io::Result<io::Error> {
    let file = in_memory(&keys.to_bytes())?;
    fcntl_setfd(&file, FdFlags::empty())?;
    let mut words = std::env::args_os();
    // By its path, so that lists of processes call it what it is called.
    let mut command = Command::new(std::env::current_exe()?);
    command.arg0(words.next().unwrap_or_else(|| OsString::from("tenter"))).args(words);
    for name in key_variables() {
        command.env_remove(name);
    }
    command.env(VARIABLE, format!("{} {}", std::process::id(), file.as_raw_fd()));
    Ok(command.exec())
}

/// The descriptor that was left for this process, which has had the same number since before it became what it is.
fn handed_over() -> Option<RawFd> {
    let said = std::env::var(VARIABLE).ok()?;
    let (process, descriptor) = said.split_once(' ')?;
    let descriptor = descriptor.parse().ok().filter(|number| *number > 2)?;
    (process.parse() == Ok(std::process::id())).then_some(descriptor)
}

#[expect(unsafe_code, reason = "a descriptor that was handed over is known by its number alone")]
fn received(descriptor: RawFd) -> io::Result<Keys> {
    // SAFETY: the program that was this process before has opened it for us, and no one here knows of it.
    let mut file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    keep_to_ourselves();
    Ok(Keys::of_bytes(&bytes))
}

/// The keys are in our memory now, which other programs of the same user may read unless we say otherwise. A system
/// that has no such switch protects it in its own way.
fn keep_to_ourselves() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_were_written() {
        let keys = Keys(vec![
            ("ANTHROPIC_API_KEY".into(), "sk=1\n2".into()),
            ("TENTER_MODEL_KEY".into(), OsString::from_vec(vec![0xff, b'='])),
        ]);
        assert_eq!(Keys::of_bytes(&keys.to_bytes()).0, keys.0);
        assert_eq!(Keys::of_bytes(b"").0, []);
    }
}
