//! One call of a hook, from start to report.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::process::Command;
use std::time::{Duration, Instant};

use tenter_contract::{
    Command as HookCommand, Event, Handler, HookFailure, HookReport, HookSpec, Placeholder, Said, Transcript,
};
use tenter_protocol::v1::event::EventV1;

use super::program::Program;
use super::{environment, fold, folder, home, interpret, text};
use crate::supervise::{self, Ended, Finished, Household, Order, Swept, TAG_VARIABLE, Tag};

/// This much of a hook's stdout is kept in its transcript.
const TRANSCRIPT_STDOUT: usize = 16 * 1024;
/// This much of the end of its stderr.
const TRANSCRIPT_STDERR: usize = supervise::STDERR_TAIL;
/// A timeout too long for the clock is this long.
const FOR_EVER: Duration = Duration::from_hours(366 * 24);

/// Runs a hook once, or once per path if its command names one and the event has several. All runs share the
/// hook's time.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    household: Household,
) -> HookReport {
    let now = Instant::now();
    let stdin = EventV1::stdin(event);
    let deadline = now.checked_add(hook.timeout).unwrap_or(now + FOR_EVER);
    let call = Call { hook, event, ours, stdin, deadline, household };
    let mut paths = paths(hook, event).into_iter();
    let mut report = call.once(paths.next());
    let mut settled = fold::is_settled(&report.said);
    while !settled && let Some(path) = paths.next() {
        let next = call.once(Some(path));
        settled = fold::is_settled(&next.said);
        report = fold::fold(report, next, hook.on_failure);
        shorten(&mut report.transcript);
    }
    report
}

/// The paths to run for; empty if the hook runs once for all of them.
fn paths<'a>(hook: &HookSpec, event: &'a Event) -> Vec<&'a str> {
    let mentions = match &hook.handler {
        Handler::Command(HookCommand::Shell(line)) => line.mentions(Placeholder::ToolPath),
        Handler::Command(HookCommand::Argv(words)) => {
            words.iter().any(|word| word.mentions(Placeholder::ToolPath))
        }
        _ => false,
    };
    let mut paths: Vec<&str> = Vec::new();
    for path in event.tool.iter().filter(|_| mentions).flat_map(|tool| &tool.paths) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    paths
}

/// What all runs of one call have in common.
struct Call<'a> {
    hook: &'a HookSpec,
    event: &'a Event,
    ours: &'a [(OsString, OsString)],
    stdin: Vec<u8>,
    deadline: Instant,
    household: Household,
}

impl Call<'_> {
    fn once(&self, path: Option<&str>) -> HookReport {
        let home = home::of(self.ours);
        let program = match Program::of(self.hook, self.event, path, home) {
            Ok(program) => program,
            Err(said) => return HookReport::of(said),
        };
        let mut notices = Vec::new();
        let mut command = Command::new(&program.file);
        command.args(&program.arguments);
        command.env_clear().envs(environment::of(self.hook, self.event, path, self.ours, &mut notices));
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
        };
        let transcript =
            Transcript { command: Some(program.shown.clone()), notices, ..Transcript::default() };
        match supervise::run(order) {
            Ok(finished) => self.report(&finished, transcript),
            Err(error) => {
                let detail = not_started(&program, &error);
                HookReport { said: Said::Failure(HookFailure::Missing { detail }), transcript }
            }
        }
    }

    fn report(&self, finished: &Finished, transcript: Transcript) -> HookReport {
        let interpreted = interpret::interpret(finished, self.hook, &self.event.kind);
        let mut notices = transcript.notices;
        notices.extend(interpreted.notices);
        notices.extend(left_behind(finished));
        let mut transcript = Transcript {
            took: finished.took,
            command: transcript.command,
            exit_code: match finished.ended {
                Ended::Exited(code) => Some(code),
                Ended::Signalled(_) | Ended::TimedOut | Ended::Unknown => None,
            },
            stdout: text::lossy(&finished.stdout),
            stderr: text::lossy(&finished.stderr_tail),
            cut: finished.stdout_cut,
            cached: false,
            notices,
        };
        shorten(&mut transcript);
        HookReport { said: interpreted.said, transcript }
    }
}

/// What was done about processes that a hook left behind. Of a hook whose time was up nobody expects otherwise.
fn left_behind(finished: &Finished) -> Vec<String> {
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
fn not_started(program: &Program, error: &io::Error) -> String {
    let file = program.file.to_string_lossy();
    let is_there = std::path::Path::new(&program.file).is_file();
    match error.kind() {
        ErrorKind::NotFound if is_there => {
            format!("the first line of `{file}` names a program that does not exist")
        }
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

/// The head of stdout and the tail of stderr, however many runs there were.
fn shorten(transcript: &mut Transcript) {
    let Transcript { stdout, stderr, .. } = transcript;
    stdout.truncate(stdout.floor_char_boundary(TRANSCRIPT_STDOUT));
    stderr.drain(..stderr.ceil_char_boundary(stderr.len().saturating_sub(TRANSCRIPT_STDERR)));
}
