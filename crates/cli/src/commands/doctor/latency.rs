//! What a call costs when no hook has anything to do.

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
/// What is beyond doubt: even the best of our calls takes so many times what the best of `/bin/true` takes, and so long
/// that a user could notice. A busy machine slows both, and the best of many least.
const SLOW: f64 = 5.0;
const NOTICED: Duration = Duration::from_millis(25);
const EVENT: &[u8] = br#"{"session_id":"doctor","hook_event_name":"Notification","message":"","cwd":"/"}"#;

/// Runs an entry as it is in an agent's settings, and `/bin/true` in the same way, in turn: one entry for all,
/// because they all call the same program. Hook file and state are throwaway ones: no one's hooks run, and nothing
/// gets into the trail.
pub(crate) fn check(own: Option<&Path>, entries: &[AgentEntry]) -> Vec<Check> {
    let entry = entries.iter().find(|entry| is_harmless(&entry.line) && reads_ours(entry));
    let plain = own.map(|own| format!("exec {} hook claude", shell_quote(&own.to_string_lossy())));
    let call = match (entry, &plain) {
        (Some(entry), _) => {
            Some((format!("a call of {} with nothing to do", entry.title), entry.line.as_str()))
        }
        (None, Some(plain)) => Some(("a call with nothing to do".to_owned(), plain.as_str())),
        (None, None) => None,
    };
    call.into_iter().map(|(what, line)| of_call(&what, line)).collect()
}

fn of_call(what: &str, line: &str) -> Check {
    match measure(line) {
        Err(error) => Check::problem(ABOUT, format!("{what} fails: {error}"), INSTALL),
        Ok((ours, bare)) => {
            let times = |of: fn(&[Duration]) -> Duration| {
                of(&ours).as_secs_f64() / of(&bare).as_secs_f64().max(f64::EPSILON)
            };
            let ms = median(&ours).as_secs_f64() * 1000.0;
            let finding = format!("{ms:.1} ms for {what}, {:.1} × `/bin/true`", times(median));
            if times(best) > SLOW && best(&ours) > NOTICED {
                let finding =
                    format!("{finding}: it is not the small program of a release build that is called");
                Check::warning(ABOUT, finding, INSTALL)
            } else {
                Check::ok(ABOUT, finding)
            }
        }
    }
}

/// Whether the agent's adapter can read the event that is sent: another one would be refused, as it should be.
fn reads_ours(entry: &AgentEntry) -> bool {
    let adapter = tenter_adapters::by_name(entry.name.as_str());
    adapter.is_some_and(|adapter| adapter.decode(EVENT, &Surroundings::default()).is_ok())
}

/// An entry that names places of its own would run the user's hooks, many times.
fn is_harmless(line: &str) -> bool {
    !line.contains("--config") && !line.contains("HOME=")
}

fn measure(ours: &str) -> io::Result<(Vec<Duration>, Vec<Duration>)> {
    let home = TempHome::set()?;
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

/// A home and a project that no one else has. They lie next to each other: if the project held the home, tenter would take
/// the user's own in its place, with their hooks and their trail.
struct TempHome {
    folder: TempDir,
}

impl TempHome {
    fn set() -> io::Result<Self> {
        let home = Self { folder: TempDir::with_prefix("tenter-doctor-")? };
        fs::create_dir(home.home())?;
        // It is a repository, so that no other one around it is taken for the project.
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
    fn what_is_measured_keeps_to_a_home_of_its_own() {
        let temporary = TempHome::set().unwrap();
        let home = temporary.home().join("tenter");
        let places =
            Places { config_folder: Some(home.clone()), state_folder: Some(home), ..Places::default() };
        assert_eq!(places.outside(Some(&temporary.project())), places);
    }
}
