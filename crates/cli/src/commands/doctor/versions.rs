//! Which version an agent is: what its package says, else what its program says. All of them are asked at the same
//! time, each for a moment only: some take seconds to say anything.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenter_host::install::read_settings;

use crate::commands::doctor::check::{Check, typed};
use crate::process;
use crate::process::End;
use crate::process::isolation::without_network;

const PATIENCE: Duration = Duration::from_secs(2);
/// How far above a program the file of its package is looked for.
const DEPTH: usize = 6;

pub(crate) struct Asked {
    pub(crate) about: &'static str,
    pub(crate) program: PathBuf,
    /// The npm package that may have brought it.
    pub(crate) package: Option<&'static str>,
}

pub(crate) fn ask(all: &[Asked]) -> Vec<Check> {
    thread::scope(|scope| {
        let threads: Vec<_> = all.iter().map(|asked| (asked, scope.spawn(|| version(asked)))).collect();
        let joined =
            threads.into_iter().map(|(asked, thread)| thread.join().unwrap_or_else(|_| silent(asked)));
        joined.collect()
    })
}

fn version(asked: &Asked) -> Check {
    let Asked { about, program, package } = asked;
    let shown = program.display();
    if let Some(version) = package.and_then(|package| of_package(program, package)) {
        return Check::ok(about, format!("{version}, {shown}"));
    }
    let until = Instant::now() + PATIENCE;
    let quiet = without_network(program);
    let open = if quiet.is_some() { "" } else { " (asked with the network on: it cannot be cut off here)" };
    // Agents leave files where they live even if they only say who they are. Programs that merely choose a version of
    // the agent may need the real home.
    let elsewhere = tempfile::tempdir().ok().map_or(Said::Nothing, |home| {
        let mut command = quiet.unwrap_or_else(|| Command::new(program));
        move_home(&mut command, home.path());
        said(command, until)
    });
    let said = match elsewhere {
        Said::Nothing => said(without_network(program).unwrap_or_else(|| Command::new(program)), until),
        Said::Version(_) | Said::NotInTime => elsewhere,
    };
    match said {
        Said::Version(version) => Check::ok(about, format!("{version}, {shown}{open}")),
        // A busy machine is no finding.
        Said::NotInTime => Check::ok(
            about,
            format!("{shown}, which did not say its version within {} seconds", PATIENCE.as_secs()),
        ),
        Said::Nothing => silent(asked),
    }
}

fn silent(Asked { about, program, .. }: &Asked) -> Check {
    let finding = format!("{} does not say its version", program.display());
    Check::warning(about, finding, format!("{} --version", typed(program)))
}

/// The version in the file of the package that a program lies in, or that has it in a package of its own next to it. To
/// start some agents takes longer than everything else here together.
fn of_package(program: &Path, package: &str) -> Option<String> {
    let program = fs::canonicalize(program).ok()?;
    let folders = program.ancestors().skip(1).take(DEPTH);
    let beside = |folder: &Path| folder.ends_with("node_modules").then(|| folder.join(package));
    let files = folders.flat_map(|folder| [Some(folder.to_owned()), beside(folder)]).flatten();
    files.into_iter().find_map(|folder| {
        let text = read_settings(&folder.join("package.json")).ok()?;
        let file: Value = serde_json::from_str(&text).ok()?;
        let version = file["version"].as_str().filter(|_| file["name"] == package)?;
        Some(version.to_owned())
    })
}

/// Lets a program live in an empty folder.
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

enum Said {
    Version(String),
    Nothing,
    NotInTime,
}

/// The first line of `--version`. To a file, so that nothing it leaves running can keep us waiting.
fn said(mut command: Command, until: Instant) -> Said {
    let Ok(file) = tempfile::NamedTempFile::new() else { return Said::Nothing };
    let Ok(end) = file.reopen() else { return Said::Nothing };
    command.arg("--version").stdin(Stdio::null()).stdout(end).stderr(Stdio::null());
    match process::run(command, until.saturating_duration_since(Instant::now())) {
        Ok(End::Exited(Some(0))) => {}
        Ok(End::TookTooLong) => return Said::NotInTime,
        Ok(End::Exited(_) | End::Interrupted) | Err(_) => return Said::Nothing,
    }
    let mut text = String::new();
    let read = File::open(file.path()).and_then(|file| file.take(4096).read_to_string(&mut text));
    let line = text.lines().next().map(str::trim).filter(|line| !line.is_empty() && read.is_ok());
    line.map_or(Said::Nothing, |line| Said::Version(line.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_that_of_the_agents_own_package_and_of_no_other() {
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
        let beside = folder.path().join("node_modules/starter");
        fs::create_dir(&beside).unwrap();
        fs::write(beside.join("package.json"), r#"{"name": "starter", "version": "1.2.4"}"#).unwrap();
        assert_eq!(of_package(&link, "starter").as_deref(), Some("1.2.4"));
        assert_eq!(of_package(&link, "@a/other"), None);
        assert_eq!(of_package(&folder.path().join("bin/none"), "@a/agent"), None);
    }
}
