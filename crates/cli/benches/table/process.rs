//! Runs one process to its end.

use std::env;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;

/// Starts a program that has nothing to say.
pub(crate) fn timed(command: &mut Command, payload: &str) -> Result<Duration> {
    match answered(command, payload)? {
        (took, answer) if answer.is_empty() => Ok(took),
        (_, answer) => Err(format!("{command:?} must end in silence; it said: {answer}").into()),
    }
}

/// Starts a program, hands it the payload, reads its answer to the end, and waits for it, as an agent does.
pub(crate) fn answered(command: &mut Command, payload: &str) -> Result<(Duration, String)> {
    let started = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(payload.as_bytes()) {
            // `true` does not wait for its input.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
    }
    let mut answer = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_end(&mut answer)?;
    }
    let status = child.wait()?;
    let took = started.elapsed();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    if status.success() {
        return Ok((took, answer));
    }
    Err(format!("{command:?} must end well; it ended with {status} and said: {answer}").into())
}

/// Where a program lies.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Where Python lies. What the path names may be a script that looks for it, and that would be timed too.
pub(crate) fn find_python() -> Option<PathBuf> {
    let asked = Command::new(find("python3")?)
        .args(["-c", "import sys; print(sys.executable, end='')"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    Some(PathBuf::from(path)).filter(|path| asked.status.success() && Path::is_file(path))
}
