//! Measures a call when no hook has anything to do.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenter_contract::ports::Surroundings;
use tenter_contract::template::shell_quote;

use crate::commands::doctor::agents::AgentEntry;
use crate::commands::doctor::check::{Check, INSTALL};

const ABOUT: &str = "latency";
const RUNS: usize = 15;
/// A call is slow if even our best one exceeds both limits: this many times the best of `/bin/true`, and a time that a
/// user can notice. A busy machine slows both, and the best of many least.
const SLOW: f64 = 5.0;
const NOTICED: Duration = Duration::from_millis(25);
const EVENT: &[u8] = br#"{"session_id":"doctor","hook_event_name":"Notification","message":"","cwd":"/"}"#;

/// Runs one agent's entry and `/bin/true` in turn, with a temporary home folder: none of the user's hooks run, and nothing
/// is recorded. One entry is enough, because all call the same program.
pub(crate) fn check(own: Option<&Path>, entries: &[AgentEntry]) -> Vec<Check> {
    let entry = entries.iter().find(|entry| is_harmless(&entry.line) && reads_ours(entry));
    let plain = own.map(|own| format!("exec {} hook claude", shell_quote(&own.to_string_lossy())));
    let call = match (entry, &plain) {
        (Some(entry), _) => check_call(&format!("a call of {} with nothing to do", entry.title), &entry.line),
        (None, Some(plain)) => check_call("a call with nothing to do", plain),
        (None, None) => return Vec::new(),
    };
    vec![call]
}

fn check_call(what: &str, line: &str) -> Check {
    match measure(line) {
        Err(error) => Check::problem(ABOUT, format!("{what} fails: {error}"), INSTALL),
        Ok((ours, bare)) => {
            let times = |of: fn(&[Duration]) -> Duration| {
                of(&ours).as_secs_f64() / of(&bare).as_secs_f64().max(f64::EPSILON)
            };
            let ms = median(&ours).as_secs_f64() * 1000.0;
            let finding = format!("{ms:.1} ms for {what}, {:.1} × `/bin/true`", times(median));
            if times(best) > SLOW && best(&ours) > NOTICED {
                let finding = format!("{finding}: the entry does not call `tenter-hook` of a release build");
                Check::warning(ABOUT, finding, INSTALL)
            } else {
                Check::ok(ABOUT, finding)
            }
        }
    }
}

/// Whether the agent's adapter can read the event that is sent.
fn reads_ours(entry: &AgentEntry) -> bool {
    let adapter = tenter_adapters::by_name(entry.name.as_str());
    adapter.is_some_and(|adapter| adapter.decode(EVENT, &Surroundings::default()).is_ok())
}

/// An entry with its own folders would run the user's hooks many times.
fn is_harmless(line: &str) -> bool {
    !line.contains("--config") && !line.contains("HOME=")
}

fn measure(ours: &str) -> io::Result<(Vec<Duration>, Vec<Duration>)> {
    let home = TempHome::create()?;
    let mut times = (Vec::with_capacity(RUNS), Vec::with_capacity(RUNS));
    // The first run makes folders and keys.
    run(ours, &home)?;
    for _ in 0..RUNS {
        times.0.push(run(ours, &home)?);
        times.1.push(run("[ -x /bin/true ] || exit 0; exec /bin/true", &home)?);
    }
    times.0.sort_unstable();
    times.1.sort_unstable();
    Ok(times)
}

fn median(times: &[Duration]) -> Duration {
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn best(times: &[Duration]) -> Duration {
    times.first().copied().unwrap_or_default()
}

/// A temporary home and project. Neither contains the other: with the home in the project, tenter would use the account's
/// own folders, with the user's hooks and trail.
struct TempHome {
    folder: TempDir,
}

impl TempHome {
    fn create() -> io::Result<Self> {
        let home = Self { folder: TempDir::with_prefix("tenter-doctor-")? };
        fs::create_dir(home.home())?;
        // A repository, so that no repository around it is the project.
        fs::create_dir_all(home.project().join(".git"))?;
        Ok(home)
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }
}

fn run(line: &str, home: &TempHome) -> io::Result<Duration> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(home.project()).env("CLAUDE_PROJECT_DIR", home.project());
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        command.env(variable, home.home());
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

#[cfg(test)]
mod tests {
    use tenter_host::Places;

    use super::*;

    #[test]
    fn measured_calls_use_temporary_home() {
        let temporary = TempHome::create().unwrap();
        let home = temporary.home().join("tenter");
        let places =
            Places { config_folder: Some(home.clone()), state_folder: Some(home), ..Places::default() };
        assert_eq!(places.outside(Some(&temporary.project())), places);
    }
}
