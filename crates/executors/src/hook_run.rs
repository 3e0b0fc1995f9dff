//! The frame that executors with processes share: time, environment, folder and transcript of one hook run.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tenter_contract::{Event, HookFailure, HookSpec, Transcript};

use crate::command::{environment, folder, home, line_ends, text};
use crate::interrupt::is_interrupted;
use crate::supervise::{self, Ended, FinishedProcess, ProcessSpec, ProcessTree, RunTag, TAG_VARIABLE};

/// One hook at one event.
#[derive(Clone, Copy)]
pub(crate) struct HookRun<'a> {
    pub(crate) hook: &'a HookSpec,
    pub(crate) event: &'a Event,
    /// The environment of this process.
    pub(crate) ours: &'a [(OsString, OsString)],
    pub(crate) process_tree: ProcessTree,
    /// Ends the run early while it is true.
    pub(crate) stop: Option<&'a AtomicBool>,
    pub(crate) started: Instant,
    pub(crate) deadline: Instant,
}

impl<'a> HookRun<'a> {
    pub(crate) fn new(
        hook: &'a HookSpec,
        event: &'a Event,
        ours: &'a [(OsString, OsString)],
        process_tree: ProcessTree,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let deadline = crate::deadline_of(hook);
        Self { hook, event, ours, process_tree, stop, started: Instant::now(), deadline }
    }

    /// A variable of this process.
    pub(crate) fn our_variable(&self, name: &str) -> Option<&'a OsStr> {
        self.ours.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_os_str())
    }

    pub(crate) fn home(&self) -> Option<&'a Path> {
        home::find(self.ours)
    }

    /// A new tag for the processes of this run.
    pub(crate) fn tag(&self) -> RunTag {
        RunTag::nested_in(self.our_variable(TAG_VARIABLE))
    }

    pub(crate) fn environment(
        &self,
        path: Option<&str>,
        notices: &mut Vec<String>,
    ) -> BTreeMap<OsString, OsString> {
        environment::build(self.hook, self.event, path, self.ours, notices)
    }

    /// The folder that the hook runs in; `None` is the current one.
    pub(crate) fn folder(&self, notices: &mut Vec<String>) -> Result<Option<PathBuf>, HookFailure> {
        folder::choose(self.hook, self.event, self.home(), notices)
    }

    /// Runs a process of the hook to its end.
    pub(crate) fn supervise(
        &self,
        command: Command,
        stdin: &[u8],
        detects_async: Option<fn(&[u8]) -> bool>,
    ) -> io::Result<FinishedProcess> {
        supervise::run(ProcessSpec {
            command,
            stdin,
            max_stdout: self.hook.max_output,
            deadline: self.deadline,
            tag: self.tag(),
            leftovers: self.hook.remains,
            process_tree: self.process_tree,
            stop: self.stop,
            detects_async,
        })
    }

    /// The failure of a run that did not end in time.
    pub(crate) fn timeout_failure(&self) -> HookFailure {
        if is_interrupted(self.stop) {
            HookFailure::stopped()
        } else {
            HookFailure::TimedOut { after: self.hook.timeout }
        }
    }
}

/// Adds the facts about a finished process to its transcript.
pub(crate) fn record(finished: &FinishedProcess, transcript: &mut Transcript) {
    transcript.took = finished.took;
    transcript.exit_code = finished.ended.code();
    transcript.stdout = text::lossy(&finished.stdout);
    transcript.stderr = text::lossy(&finished.stderr_tail);
    transcript.cut = finished.stdout_cut;
    transcript.notices.extend(stderr_cut_notice(finished));
    transcript.notices.extend(leftover_notices(finished));
}

/// The notice about a stderr of which only the end was kept.
pub(crate) fn stderr_cut_notice(finished: &FinishedProcess) -> Option<String> {
    let cut = finished.stderr_cut;
    (cut > 0).then(|| format!("the first {cut} bytes on stderr were not kept"))
}

/// Notices about leftover processes. A hook that timed out is expected to leave some.
fn leftover_notices(finished: &FinishedProcess) -> Vec<String> {
    let count = |count: usize| if count == 1 { "1 process".to_owned() } else { format!("{count} processes") };
    let supervise::Leftovers { ended, stuck } = finished.leftovers;
    let mut notices = Vec::new();
    if ended > 0 && finished.ended != Ended::TimedOut {
        notices.push(format!("{} that it left running: ended; `detach: true` lets them live", count(ended)));
    }
    if stuck > 0 {
        notices.push(format!("{} that it left running: could not be ended", count(stuck)));
    }
    notices
}

/// Why a program could not be started, and how to fix it.
pub(crate) fn start_error(file: &OsStr, error: &io::Error) -> String {
    let exists = Path::new(file).is_file();
    let file = file.to_string_lossy();
    match error.kind() {
        ErrorKind::NotFound if exists => line_ends::hint([&*file], None)
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
