//! A network with loopback alone, where the kernel allows one.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::CliError;

/// What the agent can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    Loopback,
    /// More than that, and why it could not be cut off.
    Open {
        why: String,
    },
}

/// Ways to a network of one's own: as root, and with a user namespace.
const WAYS: [&[&str]; 2] = [&["--net"], &["--map-root-user", "--net"]];
const UP: &str = "ip link set lo up";

impl Network {
    /// Looks at the network of this process.
    fn here() -> Option<Self> {
        let devices = fs::read_to_string("/proc/self/net/dev").ok()?;
        let mut names = devices.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
        names.all(|name| name == "lo").then_some(Self::Loopback)
    }

    pub(crate) fn is_open(&self) -> bool {
        *self != Self::Loopback
    }
}

/// Where this process is by the time it goes on: with loopback alone if that can be had. To get there, the
/// process becomes `unshare`, which then starts the same command again, with `--as-is`.
pub(crate) fn enter(as_is: bool) -> Result<Network, CliError> {
    if let Some(network) = Network::here() {
        return Ok(network);
    }
    if as_is {
        return Ok(Network::Open { why: "the new network has more than loopback".to_owned() });
    }
    let mut why = String::new();
    for way in WAYS {
        let tried = unshare(way, UP).stdout(Stdio::null()).stdin(Stdio::null()).output();
        why = match tried {
            Ok(tried) if tried.status.success() => return Err(go(way)),
            Ok(tried) => String::from_utf8_lossy(&tried.stderr).trim().to_owned(),
            Err(error) => format!("unshare: {error}"),
        };
    }
    Ok(Network::Open { why })
}

/// Does not come back, unless it fails.
fn go(way: &[&str]) -> CliError {
    let failed = |error: std::io::Error| CliError::proof_failed(format!("unshare: {error}"));
    let tenter = match std::env::current_exe() {
        Ok(tenter) => tenter,
        Err(error) => return failed(error),
    };
    let mut command = unshare(way, &format!("{UP} && exec \"$@\""));
    command.arg("sh").arg(tenter).args(std::env::args_os().skip(1)).arg("--as-is");
    failed(command.exec())
}

/// A program about to be run without any network; none where that cannot be had.
pub(crate) fn without_network(program: &Path) -> Option<Command> {
    if Network::here().is_some() {
        return Some(Command::new(program));
    }
    let possible = |way: &&[&str]| {
        let tried =
            unshare(way, ":").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
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
