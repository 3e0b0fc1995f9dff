//! One run of a command hook, from start to report.

use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use tenter_contract::{
    Dialect, Event, HookFailure, HookOutput, HookReport, HookSpec, OnFailure, Policy, Transcript,
};
use tenter_protocol::dialects;

use super::interpret::{Interpreted, interpret};
use super::program::Program;
use super::{line_ends, output, per_path};
use crate::hook_run::{HookRun, record, start_error};
use crate::interrupt::is_interrupted;
use crate::missing;
use crate::supervise::{Ended, FinishedProcess, ProcessTree};

/// Runs a hook once, or once per path if its command names one and the event has several. All runs share the
/// hook's time.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    process_tree: ProcessTree,
    stop: Option<&AtomicBool>,
) -> HookReport {
    let run = HookRun::new(hook, event, ours, process_tree, stop);
    let run = CommandRun { run, stdin: dialects::stdin(hook.dialect, event) };
    per_path::run_each(hook, event, |path| run.run_once(path).unwrap_or_else(HookReport::new))
}

struct CommandRun<'a> {
    run: HookRun<'a>,
    stdin: Vec<u8>,
}

impl CommandRun<'_> {
    fn run_once(&self, path: Option<&str>) -> Result<HookReport, HookOutput> {
        let HookRun { hook, event, .. } = self.run;
        let program = Program::from_hook(hook, event, path, self.run.home())?;
        let mut notices = Vec::new();
        let variables = self.run.environment(path, &mut notices);
        let search_path = variables.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let mut command = Command::new(program.file_in(search_path));
        command.args(&program.arguments).env_clear().envs(variables);
        if let Some(folder) = self.run.folder(&mut notices).map_err(HookOutput::Failure)? {
            command.current_dir(folder);
        }
        let transcript = Transcript { command: Some(program.shown), notices, ..Transcript::default() };
        Ok(match self.run.supervise(command, &self.stdin, async_detector(hook)) {
            Ok(finished) => self.report(&finished, transcript),
            Err(error) => {
                let detail = start_error(&program.file, &error);
                HookReport { output: missing(detail), transcript }
            }
        })
    }

    fn report(&self, finished: &FinishedProcess, mut transcript: Transcript) -> HookReport {
        let HookRun { hook, event, stop, .. } = self.run;
        let Interpreted { mut output, notices } = interpret(finished, hook, &event.kind);
        transcript.notices.extend(notices);
        transcript.sent.clone_from(&self.stdin);
        record(finished, &mut transcript);
        if finished.ended == Ended::TimedOut && is_interrupted(stop) {
            output = HookOutput::Failure(HookFailure::stopped());
        } else if let HookOutput::Failure(HookFailure::Missing { detail }) = &mut output {
            self.add_hint(detail, transcript.command.as_deref().unwrap_or_default());
        }
        HookReport { output, transcript }
    }

    /// Adds the cause to the message of a shell that could not start a script.
    #[cold]
    fn add_hint(&self, detail: &mut String, command: &str) {
        let folder = self.run.folder(&mut Vec::new()).ok().flatten();
        if let Some(hint) = line_ends::hint(command.split_whitespace(), folder.as_deref()) {
            detail.push_str("; ");
            detail.push_str(&hint);
        }
    }
}

/// Claude Code does not wait for a hook whose first line has `async`. Neither does tenter, if a failure of the hook
/// allows.
fn async_detector(hook: &HookSpec) -> Option<fn(&[u8]) -> bool> {
    let is_guard = hook.on_failure != OnFailure::always(Policy::Allow);
    let first_line_is_async = |bytes: &[u8]| {
        let line = bytes.split_inclusive(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let line = line.filter(|line| line.ends_with(b"\n")).and_then(|line| std::str::from_utf8(line).ok());
        line.is_some_and(output::begins_async)
    };
    (cfg!(target_os = "linux") && hook.dialect == Dialect::Claude && !is_guard).then_some(first_line_is_async)
}
