//! An MCP server that is a program: JSON messages on its stdin and stdout, one per line.

use std::ffi::OsString;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tenter_contract::{Event, HookFailure, HookOutput, HookSpec, LeftoverProcesses, Transcript};

use super::call::Answered;
use super::talk::{self, MESSAGE_LIMIT, Question, Talk, message_of};
use crate::command::program::Program;
use crate::command::{environment, folder, home, text};
use crate::hook_run::start_error;
use crate::http::client::Deadline;
use crate::interrupt::is_interrupted;
use crate::secrets::Secrets;
use crate::supervise::{
    self, Ended, FinishedProcess, ProcessSpec, ProcessTree, Responder, RunTag, TAG_VARIABLE,
};

/// The settings of a server run.
pub(super) struct Setting<'a> {
    pub(super) hook: &'a HookSpec,
    pub(super) event: &'a Event,
    pub(super) ours: &'a [(OsString, OsString)],
    pub(super) process_tree: ProcessTree,
    /// The stop flag.
    pub(super) stop: Option<&'a AtomicBool>,
    pub(super) deadline: Deadline,
}

/// Starts the server, asks it and ends it, with everything it started.
pub(super) fn ask(
    setting: &Setting<'_>,
    (words, variables): (&[String], &[(String, String)]),
    question: Question,
    secrets: &mut Secrets,
    transcript: &mut Transcript,
) -> Result<Answered, HookOutput> {
    let Setting { hook, event, ours, .. } = setting;
    let home = home::find(ours);
    let program = Program::from_words(words.to_vec(), home)?;
    transcript.command = Some(format!("{} ({})", program.shown, question.method));
    let mut environment = environment::build(hook, event, None, ours, &mut transcript.notices);
    for (name, value) in variables {
        environment
            .insert(name.into(), secrets.filled(name, value, ours).map_err(HookOutput::Failure)?.into());
    }
    let mut command = Command::new(&program.file);
    command.args(&program.arguments).env_clear().envs(environment);
    if let Some(folder) =
        folder::choose(hook, event, home, &mut transcript.notices).map_err(HookOutput::Failure)?
    {
        command.current_dir(folder);
    }
    let opening = line_of(&Talk::opening());
    let outer = ours.iter().find(|(name, _)| name == TAG_VARIABLE);
    let spec = ProcessSpec {
        command,
        stdin: &opening,
        max_stdout: 0,
        deadline: setting.deadline.until,
        tag: RunTag::nested_in(outer.map(|(_, value)| value.as_os_str())),
        // A server is nothing that a hook leaves behind.
        leftovers: LeftoverProcesses::Ended,
        process_tree: setting.process_tree,
        stop: setting.stop,
        detects_async: None,
    };
    let mut responder = Lines::about(question, MESSAGE_LIMIT);
    let finished = supervise::converse(spec, &mut responder).map_err(|error| {
        HookOutput::Failure(HookFailure::Missing { detail: start_error(&program.file, &error) })
    })?;
    transcript.took = finished.took;
    transcript.stderr = text::lossy(&finished.stderr_tail);
    transcript.notices.extend(responder.noticed());
    if finished.leftovers.stuck > 0 {
        transcript
            .notices
            .push(format!("{} processes of the server could not be ended", finished.leftovers.stuck));
    }
    responder.talk.error_text().clone_into(&mut transcript.stdout);
    let over = responder.talk.break_off_at(&finished, setting.deadline);
    let is_stopped = |failure: &HookFailure| {
        matches!(failure, HookFailure::TimedOut { .. }) && is_interrupted(setting.stop)
    };
    over.map_err(|failure| {
        HookOutput::Failure(if is_stopped(&failure) { HookFailure::stopped() } else { failure })
    })
}

impl Talk {
    /// The result, after the server has ended.
    fn break_off_at(
        mut self,
        finished: &FinishedProcess,
        deadline: Deadline,
    ) -> Result<Answered, HookFailure> {
        let waited_for = self.waits_for();
        if let Some(outcome) = self.outcome() {
            return outcome.map_err(|detail| HookFailure::Failed { detail });
        }
        let how = match finished.ended {
            Ended::TimedOut => return Err(HookFailure::TimedOut { after: deadline.timeout }),
            Ended::Exited(code) => format!("with exit code {code}"),
            Ended::Signalled(signal) => format!("by signal {signal}"),
            Ended::LeftAsync | Ended::Unknown => "without an exit code".to_owned(),
        };
        let words = last_words(&finished.stderr_tail);
        let detail = format!("the server ended {how} before it answered `{waited_for}`{words}");
        Err(HookFailure::Failed { detail })
    }
}

/// The last line of a server's stderr, after a colon.
pub(super) fn last_words(stderr: &[u8]) -> String {
    let text = text::lossy(stderr);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words = super::talk::shortened(&text::clean(line));
    if words.is_empty() { words } else { format!(": {words}") }
}

/// The messages in a server's output.
pub(super) struct Lines {
    pub(super) talk: Talk,
    line: Vec<u8>,
    most: usize,
    strange: usize,
}

impl Lines {
    pub(super) fn about(question: Question, most: usize) -> Self {
        Self { talk: Talk::about(question), line: Vec::new(), most, strange: 0 }
    }

    /// A line that is not a message is skipped: some servers print a banner.
    fn end_line(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        if let Some(message) = message_of(&line) {
            self.talk.hear(message).iter().flat_map(line_of).collect()
        } else {
            self.strange += 1;
            Vec::new()
        }
    }

    fn noticed(&self) -> Option<String> {
        match self.strange {
            0 => None,
            1 => Some("1 line of the server's output is no message and was passed over".to_owned()),
            many => Some(format!("{many} lines of the server's output are no messages and were passed over")),
        }
    }
}

impl Responder for Lines {
    fn respond(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answers = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.talk.is_over() {
                break;
            }
            self.line.extend_from_slice(piece);
            if self.line.len() > self.most.saturating_add(1) {
                self.line = Vec::new();
                self.talk.break_off(talk::too_long(self.most));
            } else if piece.ends_with(b"\n") {
                answers.extend(self.end_line());
            }
        }
        answers
    }

    fn is_done(&self) -> bool {
        self.talk.is_over()
    }
}

pub(super) fn line_of(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}
