//! `Bash`: a command of the shell.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tenter_contract::ToolKind;
use tenter_executors::Ended;

use super::keys::{Form, Given, Key};
use super::own::Own;
use super::ran::{Ran, Shown};
use super::shell::{self, End, Over};
use super::workplace::{Workplace, held};

/// In milliseconds, as the key is.
const USUAL_TIME: u64 = 120_000;
const LONGEST_TIME: u64 = 600_000;

const KEYS: &[Key] = &[
    Key::needed("command", Form::Words, "What the shell is to do."),
    Key::optional(
        "timeout",
        Form::Whole { least: 1, most: LONGEST_TIME },
        "How long it may take, in milliseconds; 120000 if not given.",
    ),
    Key::optional(
        "run_in_background",
        Form::Flag,
        "Whether you go on while it runs, as long as it likes: for servers, and for what takes long.",
    ),
    Key::optional("description", Form::Text, "What it does, in a few words for people."),
];

/// The tool.
pub(super) const BASH: Own = Own {
    name: "Bash",
    kind: ToolKind::Shell,
    description: "Runs a command in a shell of its own and gives what it wrote. The folder that `cd` leads to stays the current \
         one for the next call, as long as it lies in the project; variables do not. Nothing can be typed in: stdin is \
         empty. What it leaves running is ended with it; to let something run, set `run_in_background`, look with \
         `BashOutput` and end it with `KillShell`. To read, write, edit and find files use the tools that are \
         there for it.",
    keys: KEYS,
    alone: true,
    run,
};

fn run(given: &Given<'_>, at: &Workplace, stop: &dyn Fn() -> bool) -> Result<Ran, String> {
    let line = given.needed("command");
    if line.contains('\0') {
        return Err("`command` has a NUL character in it, which no shell takes.".to_owned());
    }
    let time = Duration::from_millis(given.whole("timeout").unwrap_or(USUAL_TIME));
    let mut notes = Vec::new();
    let folder = folder(at, &mut notes);
    let mut command = Command::new(shell::find(at));
    command.env_clear().envs(at.environment.iter().map(|(name, value)| (name, value)));
    // What programs ask for is `PWD`, and it must not be that of our own folder.
    command.env("PWD", &folder).current_dir(&folder);
    if given.flag("run_in_background") {
        let id = held(&at.background).start(command, line)?;
        let said = format!(
            "It runs in the background as `{id}`. `BashOutput` gives what it writes, and `KillShell` ends it."
        );
        let output = joined(&said, "", &notes);
        return Ok(Ran::done(output, Shown::Line(format!("in the background as {id}"))));
    }
    let over = shell::run(command, line, time, &at.spills, stop)
        .map_err(|error| format!("The shell could not be started in `{}`: {error}.", folder.display()))?;
    moved(at, &folder, over.folder.as_deref(), &mut notes);
    Ok(told(over, time, notes))
}

/// Where it runs: the current folder, or the project if that one is gone.
fn folder(at: &Workplace, notes: &mut Vec<String>) -> PathBuf {
    let folder = at.folder();
    if folder.is_dir() {
        return folder;
    }
    notes.push(format!("`{}` is gone, so it ran in the project root.", at.shown(&folder)));
    held(&at.cwd).clone_from(&at.root);
    at.root.clone()
}

/// Keeps where the command has gone to, if that lies in the project.
fn moved(at: &Workplace, from: &Path, to: Option<&Path>, notes: &mut Vec<String>) {
    let (Some(to), Ok(was), Ok(root)) = (to, fs::canonicalize(from), fs::canonicalize(&at.root)) else {
        return;
    };
    if to == was {
        return;
    }
    // Spelled from the root as it was given, of which other paths are spelled too.
    match to.strip_prefix(&root) {
        Ok(inside) if to.is_dir() => {
            let to = if inside.as_os_str().is_empty() { at.root.clone() } else { at.root.join(inside) };
            notes.push(format!("The current folder is now `{}`.", at.shown(&to)));
            *held(&at.cwd) = to;
        }
        _ => {
            held(&at.cwd).clone_from(&at.root);
            notes.push(format!(
                "`{}` is outside the project, so the current folder is the project root again.",
                to.display()
            ));
        }
    }
}

fn told(over: Over, time: Duration, mut notes: Vec<String>) -> Ran {
    let Over { end, stdout, stderr, left_behind, .. } = over;
    let exit_code = match end {
        End::ByItself(Ended::Exited(code)) => Some(code),
        End::ByItself(_) | End::TimedOut | End::Stopped => None,
    };
    let how = how_it_ended(end, Some(time));
    if left_behind > 0 && matches!(end, End::ByItself(_)) {
        notes.push(match left_behind {
            1 => "1 process that it left running was ended.".to_owned(),
            many => format!("{many} processes that it left running were ended."),
        });
    }
    let notes: Vec<String> = how.into_iter().chain(notes).collect();
    let output = joined(&stdout, &stderr, &notes);
    Ran {
        display: Shown::Text(output.clone()),
        output,
        failed: exit_code != Some(0),
        exit_code,
        stdout: Some(stdout),
        stderr: Some(stderr),
    }
}

/// How a command ended; nothing is said of one that went well. What runs in the background has no time, and whoever ends
/// it is the model.
pub(super) fn how_it_ended(end: End, time: Option<Duration>) -> Option<String> {
    match (end, time) {
        (End::ByItself(Ended::Exited(0)), _) => None,
        (End::ByItself(Ended::Exited(code)), _) => Some(format!("Exit code {code}.")),
        (End::ByItself(Ended::Signalled(signal)), _) => Some(format!("It was ended by signal {signal}.")),
        (End::ByItself(Ended::TimedOut | Ended::GoesOn | Ended::Unknown), _) => {
            Some("The exit code is unknown.".to_owned())
        }
        (End::TimedOut, Some(time)) => Some(format!(
            "It was not done after {} s and was ended, with everything it had started. `timeout` gives it more time, \
             up to {LONGEST_TIME} ms.",
            time.as_secs_f64()
        )),
        (End::Stopped, Some(_)) => {
            Some("It was stopped by the user, with everything it had started.".to_owned())
        }
        (End::TimedOut | End::Stopped, None) => Some("It was ended by `KillShell`.".to_owned()),
    }
}

/// What the model reads: both streams, and what is to be said about them.
pub(super) fn joined(stdout: &str, stderr: &str, notes: &[String]) -> String {
    let notes: Vec<String> = notes.iter().map(|note| format!("[{note}]")).collect();
    let named = if stderr.trim().is_empty() { String::new() } else { format!("stderr:\n{stderr}") };
    let parts = [stdout, &named, &notes.join("\n")];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
}
