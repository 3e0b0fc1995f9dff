//! What a call costs when no hook has anything to do.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenter_contract::template::shell_quote;

use super::agents::AgentEntry;
use super::check::{Check, INSTALL};

const ABOUT: &str = "latency";
const RUNS: usize = 20;
/// Above so many times `/bin/true` something slows us down.
const SLOW: f64 = 3.0;
const EVENT: &[u8] = br#"{"session_id":"doctor","hook_event_name":"Notification","message":"","cwd":"/"}"#;

/// Runs each agent's entry as it stands in its settings, and `/bin/true` in the same way, in turn. Hook file and
/// state are throwaway ones: nobody's hooks run, and nothing gets into the trail.
pub(super) fn check(own: Option<&Path>, entries: &[AgentEntry]) -> Vec<Check> {
    let ours = entries.iter().filter(|entry| is_harmless(&entry.line));
    let mut calls: Vec<(String, &str)> = ours
        .map(|entry| (format!("a call of {} with nothing to do", entry.title), entry.line.as_str()))
        .collect();
    let plain = own.map(|own| format!("exec {} hook claude", shell_quote(&own.to_string_lossy())));
    if let (true, Some(plain)) = (calls.is_empty(), &plain) {
        calls.push(("a call with nothing to do".to_owned(), plain));
    }
    calls.into_iter().map(|(what, line)| of_call(&what, line)).collect()
}

fn of_call(what: &str, line: &str) -> Check {
    match measure(line) {
        Err(error) => Check::problem(ABOUT, format!("{what} fails: {error}"), INSTALL),
        Ok((ours, bare)) => {
            let times = ours.as_secs_f64() / bare.as_secs_f64().max(f64::EPSILON);
            let finding =
                format!("{:.1} ms for {what}, {times:.1} × `/bin/true`", ours.as_secs_f64() * 1000.0);
            if times > SLOW { Check::warning(ABOUT, finding, INSTALL) } else { Check::ok(ABOUT, finding) }
        }
    }
}

/// An entry that names places of its own would run the user's hooks, twenty times.
fn is_harmless(line: &str) -> bool {
    !line.contains("--config") && !line.contains("HOME=")
}

/// The medians of both.
fn measure(ours: &str) -> io::Result<(Duration, Duration)> {
    let folder = TempDir::with_prefix("tenter-doctor-")?;
    let mut times = (Vec::with_capacity(RUNS), Vec::with_capacity(RUNS));
    // The first run makes folders and keys.
    run(ours, folder.path())?;
    for _ in 0..RUNS {
        times.0.push(run(ours, folder.path())?);
        times.1.push(run("[ -x /bin/true ] || exit 0; exec /bin/true", folder.path())?);
    }
    Ok((median(times.0), median(times.1)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn run(line: &str, folder: &Path) -> io::Result<Duration> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(folder);
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_PROJECT_DIR"] {
        command.env(variable, folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // `true` does not read it.
        let _ = stdin.write_all(EVENT);
    }
    let status = child.wait()?;
    let took = start.elapsed();
    if status.success() { Ok(took) } else { Err(io::Error::other(format!("`{line}` ends with {status}"))) }
}
