//! A network with loopback only, if the kernel allows it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::CliError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    Loopback,
    /// There is more than loopback, and why it could not be cut off.
    Open {
        why: String,
    },
}

/// Ways to a new network namespace: as root, and with a user namespace.
const WAYS: [&[&str]; 2] = [&["--net"], &["--map-root-user", "--net"]];
const UP: &str = "ip link set lo up";

impl Network {
    /// The network of this process.
    fn here() -> Option<Self> {
        let devices = fs::read_to_string("/proc/self/net/dev").ok()?;
        let mut names = devices.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
        names.all(|name| name == "lo").then_some(Self::Loopback)
    }

    pub(crate) fn is_open(&self) -> bool {
        *self != Self::Loopback
    }
}

/// Enters a network with loopback only, if possible. To do so, the process becomes `unshare`, which starts the same
/// command again with `--as-is`.
pub(crate) fn enter(as_is: bool) -> Result<Network, CliError> {
    if let Some(network) = Network::here() {
        return Ok(network);
    }
    if as_is {
        return Ok(Network::Open { why: "the new network has more than loopback".to_owned() });
    }
    let mut why = String::new();
    for way in WAYS {
        why = match unshare(way, UP).stdin(Stdio::null()).output() {
            Ok(tried) if tried.status.success() => return Err(restart_in(way)),
            Ok(tried) => String::from_utf8_lossy(&tried.stderr).trim().to_owned(),
            Err(error) => format!("unshare: {error}"),
        };
    }
    Ok(Network::Open { why })
}

/// Returns only on failure.
fn restart_in(way: &[&str]) -> CliError {
    let failed = |error: std::io::Error| CliError::proof_failed(format!("unshare: {error}"));
    let tenter = match std::env::current_exe() {
        Ok(tenter) => tenter,
        Err(error) => return failed(error),
    };
    let mut command = unshare(way, &format!("{UP} && exec \"$@\""));
    command.arg("sh").arg(tenter).args(std::env::args_os().skip(1)).arg("--as-is");
    failed(command.exec())
}

/// A command that runs without a network; `None` if that is not possible.
pub(crate) fn without_network(program: &Path) -> Option<Command> {
    if Network::here().is_some() {
        return Some(Command::new(program));
    }
    let possible = |way: &&[&str]| {
        unshare(way, ":").stdin(Stdio::null()).output().is_ok_and(|tried| tried.status.success())
    };
    let way = WAYS.into_iter().find(possible)?;
    let mut command = unshare(way, "exec \"$@\"");
    command.arg("sh").arg(program);
    Some(command)
}

fn unshare(way: &[&str], line: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(way).args(["--", "sh", "-c", line]);
    command
}
