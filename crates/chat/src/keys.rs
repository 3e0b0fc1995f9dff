//! Keeps API keys of models away from everything that the agent runs.
//!
//! The environment a process was started with stays readable in `/proc/PID/environ` for all programs of the user, and
//! child processes inherit it. Unsetting a variable changes neither. So a program that finds keys re-executes itself
//! in the same process without them and passes them in a memory file, which it reads and closes before anything else
//! runs.

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

/// Names the process and its descriptor with the keys. Child processes that inherit the variable have another process
/// id and ignore it.
const VARIABLE: &str = "TENTER_KEYS_HANDED_OVER";

#[derive(Default)]
pub(crate) struct Keys(Vec<(OsString, OsString)>);

impl Keys {
    /// Takes the keys from the environment. If there are any, this process re-executes itself, and the call does not
    /// return; the new program takes them from the memory file. Called once.
    pub(crate) fn take_from_environment() -> io::Result<Self> {
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

    /// The values to hide in all output.
    pub(crate) fn hidden(&self) -> HiddenKeys {
        HiddenKeys::new(self.0.iter().filter_map(|(_, key)| key.to_str()))
    }

    /// Parses an environment block. Names and values contain no zero byte.
    fn to_bytes(&self) -> Vec<u8> {
        let line =
            |(name, key): &(OsString, OsString)| [name.as_bytes(), b"=", key.as_bytes(), b"\0"].concat();
        self.0.iter().flat_map(line).collect()
    }

    fn parse(bytes: &[u8]) -> Self {
        let read = |line: &[u8]| {
            let at = line.iter().position(|byte| *byte == b'=')?;
            let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            Some((text(&line[..at]), text(&line[at + 1..])))
        };
        Self(bytes.split(|byte| *byte == 0).filter_map(read).collect())
    }
}

/// The environment of the agent's commands and servers: all variables except keys, empty ones included.
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    let is_ours = |name: &OsStr| name == VARIABLE || key_variables().any(|key| name == key);
    std::env::vars_os().filter(|(name, _)| !is_ours(name)).collect()
}

/// Re-executes this program without the keys. Returns the error if that fails.
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

/// The descriptor with the keys, if it is for this process.
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
    Ok(Keys::parse(&bytes))
}

/// Forbids other programs of the same user to read this process's memory, where the system has such a switch.
fn keep_to_ourselves() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_serialization() {
        let keys = Keys(vec![
            ("ANTHROPIC_API_KEY".into(), "sk=1\n2".into()),
            ("TENTER_MODEL_KEY".into(), OsString::from_vec(vec![0xff, b'='])),
        ]);
        assert_eq!(Keys::parse(&keys.to_bytes()).0, keys.0);
        assert_eq!(Keys::parse(b"").0, []);
    }
}
