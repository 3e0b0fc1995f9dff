//! A shell that takes over an asynchronous hook: it reads the hook's output and ends the hook at its deadline.

use std::io;
use std::process::{ChildStderr, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionbio;

use super::run_tag::{RunTag, cleanup_shell};

/// Its stdin and its stdout are the reading ends of the hook's pipes: without a reader the hook would die at its next
/// write. Tagged processes are killed at the deadline, and also if there is no `timeout` program.
const SCRIPT: &str = r#"exec 3<&0 4<&1 < /dev/null > /dev/null
timeout "$2" sh -c 'cat <&3 & cat <&4; wait' && exit"#;

/// Hands the pipes over. The error is the reason why the watcher could not be started.
pub(super) fn start(
    tag: &RunTag,
    deadline: Instant,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
) -> io::Result<()> {
    if let Some(stdout) = &stdout {
        ioctl_fionbio(stdout, false)?;
    }
    if let Some(stderr) = &stderr {
        ioctl_fionbio(stderr, false)?;
    }
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
    let mut command = cleanup_shell("async-watcher", SCRIPT, tag, &left.as_secs().to_string());
    command.stdin(stdout.map_or_else(Stdio::null, Stdio::from));
    command.stdout(stderr.map_or_else(Stdio::null, Stdio::from));
    command.spawn().map(drop)
}
