//! Looks after a process that goes on without us: reads what it prints, and ends it when its time is up.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionbio;

use super::tag::{KILL_MARKED, Tag, VARIABLE};

/// Its stdin and its stdout are the reading ends of the process's pipes: without a reader the process would die of
/// its next word. Those that carry the mark are killed when the time is up, and also if there is no `timeout` here.
const LINE: &str = r#"exec 3<&0 4<&1 < /dev/null > /dev/null
timeout "$2" sh -c 'cat <&3 & cat <&4; wait' && exit"#;

/// Hands the pipes over. The error is the reason why nobody looks after the process.
pub(super) fn post(
    tag: &Tag,
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
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let mut command = Command::new("/bin/sh");
    let script = format!("{LINE}\n{KILL_MARKED}");
    command.args(["-c", &script, "tenter-caretaker", tag.own(), &left.as_secs().to_string()]);
    command.env_clear().env("PATH", path).env(VARIABLE, tag.value_outside("caretaker"));
    command.stdin(stdout.map_or_else(Stdio::null, Stdio::from));
    command.stdout(stderr.map_or_else(Stdio::null, Stdio::from)).stderr(Stdio::null());
    command.current_dir("/").process_group(0);
    command.spawn().map(drop)
}
