//! `Bash`: a command of the shell.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tenter_contract::ToolKind;
use tenter_executors::Ended;

use super::bounded_text::BoundedText;
use super::shell::{self, FinishedShell, ShellEnd};
use super::workspace::lock;
use super::{BuiltinTool, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

const DEFAULT_TIME: u64 = 120_000;
const TIME_LIMIT: u64 = 600_000;

pub(super) const BASH: BuiltinTool = BuiltinTool {
    name: "Bash",
    kind: ToolKind::Shell,
    description: "Runs a command in a new shell and returns its output. The folder of `cd` stays the current one for the next \
         call if it is in the project; variables do not stay. Stdin is empty. Processes that still run at its end \
         are ended. To keep a process running, set `run_in_background`, read its output with `BashOutput` and end it \
         with `KillShell`. To read, write, edit and find files, use the tools for files.",
    params: &[
        Param::required("command", ParamType::Words, "The command."),
        Param::optional(
            "timeout",
            ParamType::Whole { least: 1, most: TIME_LIMIT },
            "Time limit in milliseconds [default: 120000].",
        ),
        Param::optional(
            "run_in_background",
            ParamType::Flag,
            "Run it in the background without a time limit: for servers and long tasks.",
        ),
        Param::optional("description", ParamType::Text, "A short description of the command for the user."),
    ],
    alone: true,
    run,
};

fn run(input: &ToolInput<'_>, at: &Workspace, stop: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let line = input.required("command");
    if line.contains('\0') {
        return Err("`command` contains a NUL character, which no shell accepts.".to_owned());
    }
    let time = Duration::from_millis(input.whole("timeout").unwrap_or(DEFAULT_TIME));
    let mut notes = Vec::new();
    let folder = folder(at, &mut notes);
    let mut command = Command::new(shell::find(at));
    command.env_clear().envs(at.environment.iter().map(|(name, value)| (name, value)));
    // Programs read `PWD`, which must not be that of our own process.
    command.env("PWD", &folder).current_dir(&folder);
    if input.flag("run_in_background", false) {
        let id = lock(&at.background).start(command, line)?;
        let text = format!(
            "It runs in the background as `{id}`. `BashOutput` returns its output, and `KillShell` ends it."
        );
        let output = join_output(&text, "", &notes);
        return Ok(ToolOutput::done(output, ToolDisplay::Line(format!("in the background as {id}"))));
    }
    let until = Instant::now() + time;
    let shell = shell::start(command, line)
        .map_err(|error| format!("The shell could not be started in `{}`: {error}.", folder.display()))?;
    let sinks = ["stdout", "stderr"].map(|name| BoundedText::new(name, &at.spills));
    let result = shell.run(sinks, Some(until), stop);
    keep_folder(at, &folder, result.folder.as_deref(), &mut notes);
    Ok(to_output(result, time, notes))
}

/// The current folder, or the project root if that folder is gone.
fn folder(at: &Workspace, notes: &mut Vec<String>) -> PathBuf {
    let folder = at.folder();
    if folder.is_dir() {
        return folder;
    }
    notes.push(format!("`{}` is gone, so the command ran in the project root.", at.shown(&folder)));
    lock(&at.cwd).clone_from(&at.root);
    at.root.clone()
}

/// Keeps the last folder of the command, if it is in the project.
fn keep_folder(at: &Workspace, from: &Path, to: Option<&Path>, notes: &mut Vec<String>) {
    let (Some(to), Ok(was), Ok(root)) = (to, fs::canonicalize(from), fs::canonicalize(&at.root)) else {
        return;
    };
    if to == was {
        return;
    }
    // Spelled from the root as given, like all other paths.
    match to.strip_prefix(&root) {
        Ok(inside) if to.is_dir() => {
            let to = if inside.as_os_str().is_empty() { at.root.clone() } else { at.root.join(inside) };
            notes.push(format!("The current folder is now `{}`.", at.shown(&to)));
            *lock(&at.cwd) = to;
        }
        _ => {
            lock(&at.cwd).clone_from(&at.root);
            notes.push(format!(
                "`{}` is outside the project, so the current folder is the project root again.",
                to.display()
            ));
        }
    }
}

fn to_output(result: FinishedShell<BoundedText>, time: Duration, mut notes: Vec<String>) -> ToolOutput {
    let FinishedShell { end, sinks, left_behind, .. } = result;
    let [stdout, stderr] = sinks.map(BoundedText::into_text);
    let exit_code = match end {
        ShellEnd::ByItself(Ended::Exited(code)) => Some(code),
        ShellEnd::ByItself(_) | ShellEnd::TimedOut | ShellEnd::Stopped => None,
    };
    if left_behind > 0 && matches!(end, ShellEnd::ByItself(_)) {
        notes.push(match left_behind {
            1 => "1 process that still ran was ended.".to_owned(),
            many => format!("{many} processes that still ran were ended."),
        });
    }
    let notes: Vec<String> = describe_end(end, Some(time)).into_iter().chain(notes).collect();
    let output = join_output(&stdout, &stderr, &notes);
    let (display, failed) = (ToolDisplay::Text(output.clone()), exit_code != Some(0));
    ToolOutput { display, output, failed, exit_code, stdout: Some(stdout), stderr: Some(stderr) }
}

/// How a command ended; `None` for success. A background command has no time limit, and the model ends it.
pub(super) fn describe_end(end: ShellEnd, time: Option<Duration>) -> Option<String> {
    match (end, time) {
        (ShellEnd::ByItself(Ended::Exited(0)), _) => None,
        (ShellEnd::ByItself(Ended::Exited(code)), _) => Some(format!("Exit code {code}.")),
        (ShellEnd::ByItself(Ended::Signalled(signal)), _) => {
            Some(format!("It was ended by signal {signal}."))
        }
        (ShellEnd::ByItself(Ended::TimedOut | Ended::LeftAsync | Ended::Unknown), _) => {
            Some("The exit code is unknown.".to_owned())
        }
        (ShellEnd::TimedOut, Some(time)) => Some(format!(
            "It was not done after {} s and was ended, with every process it started. Set `timeout` to allow more time, \
             up to {TIME_LIMIT} ms.",
            time.as_secs_f64()
        )),
        (ShellEnd::Stopped, Some(_)) => {
            Some("It was stopped by the user, with every process it started.".to_owned())
        }
        (ShellEnd::TimedOut | ShellEnd::Stopped, None) => Some("It was ended by `KillShell`.".to_owned()),
    }
}

/// Both streams and the notes about them.
pub(super) fn join_output(stdout: &str, stderr: &str, notes: &[String]) -> String {
    let notes: Vec<String> = notes.iter().map(|note| format!("[{note}]")).collect();
    let stderr = if stderr.trim().is_empty() { String::new() } else { format!("stderr:\n{stderr}") };
    let parts = [stdout, &stderr, &notes.join("\n")];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
}
