//! One call of a hook, from start to report.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tenter_contract::{
    Dialect, Event, HookFailure, HookReport, HookSpec, OnFailure, Policy, Said, Transcript,
};
use tenter_protocol::dialects;

use super::program::Program;
use super::{environment, fold, folder, home, interpret, line_ends, output, text};
use crate::deadline_of;
use crate::stopping::is_asked;
use crate::supervise::{self, Ended, Finished, Household, Order, Swept, TAG_VARIABLE, Tag};

/// Runs a hook once, or once per path if its command names one and the event has several. All runs share the
/// hook's time.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    household: Household,
    stop: Option<&AtomicBool>,
) -> HookReport {
    let deadline = deadline_of(hook);
    let stdin = dialects::stdin(hook.dialect, event);
    let call = Call { hook, event, ours, stdin, deadline, household, stop };
    fold::over(fold::paths(event, hook.handler.takes_one_path()), hook.on_failure, |path| call.once(path))
}

/// Claude Code does not wait for a hook whose first line says `async`. Nor do we, if a failure of the hook allows.
#[cfg(target_os = "linux")]
fn goes_on(hook: &HookSpec) -> Option<fn(&[u8]) -> bool> {
    let is_guard = hook.on_failure != OnFailure::always(Policy::Allow);
    let first_line_is_whole = |bytes: &[u8]| {
        let text = bytes.split_inclusive(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let line = text.filter(|line| line.ends_with(b"\n")).and_then(|line| std::str::from_utf8(line).ok());
        line.is_some_and(output::begins_async)
    };
    (hook.dialect == Dialect::Claude && !is_guard).then_some(first_line_is_whole)
}

#[cfg(not(target_os = "linux"))]
fn goes_on(_: &HookSpec) -> Option<fn(&[u8]) -> bool> {
    None
}

/// What all runs of one call have in common.
struct Call<'a> {
    hook: &'a HookSpec,
    event: &'a Event,
    ours: &'a [(OsString, OsString)],
    stdin: Vec<u8>,
    deadline: Instant,
    household: Household,
    stop: Option<&'a AtomicBool>,
}

impl Call<'_> {
    fn once(&self, path: Option<&str>) -> HookReport {
        let home = home::of(self.ours);
        let program = match Program::of(self.hook, self.event, path, home) {
            Ok(program) => program,
            Err(said) => return HookReport::of(said),
        };
        let mut notices = Vec::new();
        let variables = environment::of(self.hook, self.event, path, self.ours, &mut notices);
        let search_path = variables.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let mut command = Command::new(program.file_in(search_path));
        command.args(&program.arguments);
        command.env_clear().envs(variables);
        match folder::choose(self.hook, self.event, home, &mut notices) {
            Ok(Some(folder)) => {
                command.current_dir(folder);
            }
            Ok(None) => {}
            Err(failure) => return HookReport::of(Said::Failure(failure)),
        }
        let outer = self.ours.iter().find(|(name, _)| name == TAG_VARIABLE);
        let order = Order {
            command,
            stdin: &self.stdin,
            max_stdout: self.hook.max_output,
            deadline: self.deadline,
            tag: Tag::below(outer.map(|(_, value)| value.as_os_str())),
            remains: self.hook.remains,
            household: self.household,
            stop: self.stop,
            goes_on: goes_on(self.hook),
        };
        let transcript =
            Transcript { command: Some(program.shown.clone()), notices, ..Transcript::default() };
        match supervise::run(order) {
            Ok(finished) => {
                let sent = self.stdin.clone();
                self.report(&finished, Transcript { sent, ..transcript })
            }
            Err(error) => {
                let detail = not_started(&program.file, &error);
                HookReport { said: Said::Failure(HookFailure::Missing { detail }), transcript }
            }
        }
    }

    fn report(&self, finished: &Finished, transcript: Transcript) -> HookReport {
        let interpreted = interpret::interpret(finished, self.hook, &self.event.kind);
        let mut notices = transcript.notices;
        notices.extend(interpreted.notices);
        notices.extend(not_kept(finished));
        notices.extend(left_behind(finished));
        let transcript = Transcript {
            took: finished.took,
            command: transcript.command,
            sent: transcript.sent,
            exit_code: match finished.ended {
                Ended::Exited(code) => Some(code),
                Ended::Signalled(_) | Ended::TimedOut | Ended::GoesOn | Ended::Unknown => None,
            },
            stdout: text::lossy(&finished.stdout),
            stderr: text::lossy(&finished.stderr_tail),
            cut: finished.stdout_cut,
            definition: None,
            began: None,
            cached: false,
            notices,
        };
        let stopped = finished.ended == Ended::TimedOut && is_asked(self.stop);
        let said = match interpreted.said {
            _ if stopped => Said::Failure(HookFailure::stopped()),
            Said::Failure(HookFailure::Missing { detail }) => {
                let detail = self.with_hint(detail, transcript.command.as_deref().unwrap_or_default());
                Said::Failure(HookFailure::Missing { detail })
            }
            said => said,
        };
        HookReport { said, transcript }
    }

    /// The complaint of a shell that could not start a script, which does not name the cause.
    #[cold]
    fn with_hint(&self, detail: String, command: &str) -> String {
        let folder = folder::choose(self.hook, self.event, home::of(self.ours), &mut Vec::new());
        let hint = line_ends::hint(command.split_whitespace(), folder.ok().flatten().as_deref());
        match hint {
            Some(hint) => format!("{detail}; {hint}"),
            None => detail,
        }
    }
}

/// That a hook wrote more to stderr than anybody reads.
pub(crate) fn not_kept(finished: &Finished) -> Option<String> {
    let cut = finished.stderr_cut;
    (cut > 0).then(|| format!("the first {cut} bytes on stderr were not kept"))
}

/// What was done about processes that a hook left behind. Of a hook whose time was up nobody expects otherwise.
pub(crate) fn left_behind(finished: &Finished) -> Vec<String> {
    let Swept { ended, stuck } = finished.swept;
    let mut notices = Vec::new();
    if ended > 0 && finished.ended != Ended::TimedOut {
        let what = processes(ended);
        notices.push(format!("{what} that it left running: ended; `detach: true` lets them live"));
    }
    if stuck > 0 {
        notices.push(format!("{} that it left running: could not be ended", processes(stuck)));
    }
    notices
}

fn processes(count: usize) -> String {
    if count == 1 { "1 process".to_owned() } else { format!("{count} processes") }
}

/// Why a program could not be started, and what to do about it.
pub(crate) fn not_started(file: &OsStr, error: &io::Error) -> String {
    let is_there = std::path::Path::new(file).is_file();
    let file = file.to_string_lossy();
    match error.kind() {
        ErrorKind::NotFound if is_there => line_ends::hint([&*file], None)
            .unwrap_or_else(|| format!("the first line of `{file}` names a program that does not exist")),
        ErrorKind::NotFound => format!("`{file}` was not found"),
        ErrorKind::PermissionDenied => {
            format!("`{file}` may not be executed, or the folder it runs in not entered")
        }
        ErrorKind::ArgumentListTooLong => {
            format!("the values in the command of `{file}` are too long; read the event on stdin instead")
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            format!("`{file}` is no program; a script begins with a line such as `#!/bin/sh`")
        }
        _ => format!("`{file}`: {error}"),
    }
}
