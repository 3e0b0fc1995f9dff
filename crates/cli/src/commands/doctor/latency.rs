//! What a call costs when no hook has anything to do.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenter_contract::template::shell_quote;

use super::check::Check;

const ABOUT: &str = "latency";
const RUNS: usize = 20;
/// Above so many times `/bin/true` something slows us down.
const SLOW: f64 = 3.0;
const EVENT: &[u8] = br#"{"session_id":"doctor","hook_event_name":"Notification","message":"","cwd":"/"}"#;

/// Runs the command as an agent does, and `/bin/true` in the same way, in turn. Hook file and state are
/// throwaway ones: nobody's hooks run, and nothing gets into the trail.
pub(super) fn check(own: Option<&Path>) -> Vec<Check> {
    let measured = own.ok_or_else(|| io::Error::other("there is no program")).and_then(measure);
    vec![match measured {
        Err(error) => Check::problem(ABOUT, format!("a call fails: {error}"), "install tenter again"),
        Ok((ours, bare)) => {
            let times = ours.as_secs_f64() / bare.as_secs_f64().max(f64::EPSILON);
            let finding = format!(
                "{:.1} ms for a call with nothing to do, {times:.1} × `/bin/true`",
                ours.as_secs_f64() * 1000.0
            );
            if times > SLOW {
                Check::warning(ABOUT, finding, "use a release build: `just dist`")
            } else {
                Check::ok(ABOUT, finding)
            }
        }
    }]
}

/// The medians of both.
fn measure(own: &Path) -> io::Result<(Duration, Duration)> {
    let folder = TempDir::with_prefix("tenter-doctor-")?;
    let program = shell_quote(&own.to_string_lossy());
    let ours = format!("[ -x {program} ] || exit 0; exec {program} hook claude --within 600s");
    let mut times = (Vec::with_capacity(RUNS), Vec::with_capacity(RUNS));
    // The first run makes folders and keys.
    run(&ours, folder.path())?;
    for _ in 0..RUNS {
        times.0.push(run(&ours, folder.path())?);
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
