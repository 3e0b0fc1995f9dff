//! Finds the versions of agents: from the npm package, or else from the program. All programs run at the same time, each
//! for a short time, because some need seconds to print their version.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenter_host::install::read_settings;

use crate::commands::doctor::check::{Check, typed};
use crate::process::isolation::without_network;
use crate::process::{self, End};

const PATIENCE: Duration = Duration::from_secs(2);
/// The number of folders above a program that may have the file of its package.
const DEPTH: usize = 6;

pub(crate) struct VersionQuery {
    pub(crate) about: &'static str,
    pub(crate) program: PathBuf,
    /// The npm package that may contain the program.
    pub(crate) package: Option<&'static str>,
}

pub(crate) fn ask(all: &[VersionQuery]) -> Vec<Check> {
    thread::scope(|scope| {
        let threads: Vec<_> = all.iter().map(|query| (query, scope.spawn(|| version(query)))).collect();
        threads.into_iter().map(|(query, thread)| thread.join().unwrap_or_else(|_| unknown(query))).collect()
    })
}

fn version(query: &VersionQuery) -> Check {
    let VersionQuery { about, program, package } = query;
    let shown = program.display();
    if let Some(version) = package.and_then(|package| of_package(program, package)) {
        return Check::ok(about, format!("{version}, {shown}"));
    }
    let until = Instant::now() + PATIENCE;
    let quiet = without_network(program);
    let open = if quiet.is_some() { "" } else { " (run with network access, which cannot be cut off here)" };
    // Agents write files to their home folder even for `--version`. Launchers that choose a version of the agent may
    // need the real home.
    let in_empty_home = tempfile::tempdir().ok().map_or(VersionOutput::Nothing, |home| {
        let mut command = quiet.unwrap_or_else(|| Command::new(program));
        move_home(&mut command, home.path());
        run(command, until)
    });
    let output = match in_empty_home {
        VersionOutput::Nothing => {
            run(without_network(program).unwrap_or_else(|| Command::new(program)), until)
        }
        VersionOutput::Version(_) | VersionOutput::TimedOut => in_empty_home,
    };
    match output {
        VersionOutput::Version(version) => Check::ok(about, format!("{version}, {shown}{open}")),
        // A busy machine is not a problem.
        VersionOutput::TimedOut => {
            let limit = PATIENCE.as_secs();
            Check::ok(about, format!("{shown}, which did not print its version within {limit} seconds"))
        }
        VersionOutput::Nothing => unknown(query),
    }
}

fn unknown(VersionQuery { about, program, .. }: &VersionQuery) -> Check {
    let finding = format!("{} does not print its version", program.display());
    Check::warning(about, finding, format!("{} --version", typed(program)))
}

/// The version in the file of the package that contains the program, or of a package in the same `node_modules`. This
/// is much faster than starting the agent.
fn of_package(program: &Path, package: &str) -> Option<String> {
    let program = fs::canonicalize(program).ok()?;
    let folders = program.ancestors().skip(1).take(DEPTH);
    let sibling = |folder: &Path| folder.ends_with("node_modules").then(|| folder.join(package));
    let files = folders.flat_map(|folder| [Some(folder.to_owned()), sibling(folder)]).flatten();
    files.into_iter().find_map(|folder| {
        let text = read_settings(&folder.join("package.json")).ok()?;
        let file: Value = serde_json::from_str(&text).ok()?;
        let version = file["version"].as_str().filter(|_| file["name"] == package)?;
        Some(version.to_owned())
    })
}

/// Gives a program an empty home folder.
fn move_home(command: &mut Command, home: &Path) {
    command.env("HOME", home);
    for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env(name, home.join(name));
    }
    for name in
        ["CLAUDE_CONFIG_DIR", "CLINE_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "QWEN_HOME"]
    {
        command.env_remove(name);
    }
}

enum VersionOutput {
    Version(String),
    Nothing,
    TimedOut,
}

/// The first line of `--version`. The output goes to a file, so that processes it leaves running do not block tenter.
fn run(mut command: Command, until: Instant) -> VersionOutput {
    let Ok(file) = tempfile::NamedTempFile::new() else { return VersionOutput::Nothing };
    let Ok(end) = file.reopen() else { return VersionOutput::Nothing };
    command.arg("--version").stdin(Stdio::null()).stdout(end).stderr(Stdio::null());
    match process::run(command, until.saturating_duration_since(Instant::now())) {
        Ok(End::Exited(Some(0))) => {}
        Ok(End::TimedOut) => return VersionOutput::TimedOut,
        Ok(End::Exited(_) | End::Interrupted) | Err(_) => return VersionOutput::Nothing,
    }
    let mut text = String::new();
    let read = File::open(file.path()).and_then(|file| file.take(4096).read_to_string(&mut text));
    let line = text.lines().next().map(str::trim).filter(|line| !line.is_empty() && read.is_ok());
    line.map_or(VersionOutput::Nothing, |line| VersionOutput::Version(line.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read_from_own_package_only() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("node_modules/@a/agent");
        fs::create_dir_all(package.join("dist/bin")).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("package.json"), r#"{"name": "mine", "version": "9.9.9"}"#).unwrap();
        fs::write(package.join("package.json"), r#"{"name": "@a/agent", "version": "1.2.3"}"#).unwrap();
        fs::write(package.join("dist/package.json"), r#"{"type": "module"}"#).unwrap();
        fs::write(package.join("dist/bin/agent.js"), "").unwrap();
        let link = folder.path().join("bin/agent");
        std::os::unix::fs::symlink(package.join("dist/bin/agent.js"), &link).unwrap();
        assert_eq!(of_package(&link, "@a/agent").as_deref(), Some("1.2.3"));
        let sibling = folder.path().join("node_modules/starter");
        fs::create_dir(&sibling).unwrap();
        fs::write(sibling.join("package.json"), r#"{"name": "starter", "version": "1.2.4"}"#).unwrap();
        assert_eq!(of_package(&link, "starter").as_deref(), Some("1.2.4"));
        assert_eq!(of_package(&link, "@a/other"), None);
        assert_eq!(of_package(&folder.path().join("bin/none"), "@a/agent"), None);
    }
}
