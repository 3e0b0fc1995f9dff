//! An MCP server that is a program: JSON messages on its stdin and stdout, one per line.

use std::ffi::OsString;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tenter_contract::{Event, HookFailure, HookSpec, Remains, Said, Transcript};

use super::call::Answered;
use super::talk::{self, MESSAGE_LIMIT, Question, Talk, message_of};
use crate::command::program::Program;
use crate::command::{call, environment, folder, home, text};
use crate::http::client::Patience;
use crate::secrets::Secrets;
use crate::stopping::is_asked;
use crate::supervise::{self, Ended, Finished, Household, Order, Partner, TAG_VARIABLE, Tag};

/// What a run of a server needs besides the question.
pub(super) struct Setting<'a> {
    pub(super) hook: &'a HookSpec,
    pub(super) event: &'a Event,
    pub(super) ours: &'a [(OsString, OsString)],
    pub(super) household: Household,
    /// Says that it is to end before its time, if somebody can say so.
    pub(super) stop: Option<&'a AtomicBool>,
    pub(super) patience: Patience,
}

/// Starts the server, asks it and ends it, with everything it started.
pub(super) fn ask(
    setting: &Setting<'_>,
    (words, variables): (&[String], &[(String, String)]),
    question: Question,
    secrets: &mut Secrets,
    transcript: &mut Transcript,
) -> Result<Answered, Said> {
    let Setting { hook, event, ours, .. } = setting;
    let home = home::of(ours);
    let program = Program::of_words(words.to_vec(), home)?;
    transcript.command = Some(format!("{} ({})", program.shown, question.method));
    let mut environment = environment::of(hook, event, None, ours, &mut transcript.notices);
    for (name, value) in variables {
        environment.insert(name.into(), secrets.filled(name, value, ours).map_err(Said::Failure)?.into());
    }
    let mut command = Command::new(&program.file);
    command.args(&program.arguments).env_clear().envs(environment);
    if let Some(folder) = folder::choose(hook, event, home, &mut transcript.notices).map_err(Said::Failure)? {
        command.current_dir(folder);
    }
    let opening = line_of(&Talk::opening());
    let outer = ours.iter().find(|(name, _)| name == TAG_VARIABLE);
    let order = Order {
        command,
        stdin: &opening,
        max_stdout: 0,
        deadline: setting.patience.until,
        tag: Tag::below(outer.map(|(_, value)| value.as_os_str())),
        // A server is nothing that a hook leaves behind.
        remains: Remains::Ended,
        household: setting.household,
        stop: setting.stop,
        goes_on: None,
    };
    let mut partner = Lines::about(question, MESSAGE_LIMIT);
    let finished = supervise::converse(order, &mut partner).map_err(|error| {
        Said::Failure(HookFailure::Missing { detail: call::not_started(&program.file, &error) })
    })?;
    transcript.took = finished.took;
    transcript.stderr = text::lossy(&finished.stderr_tail);
    transcript.notices.extend(partner.noticed());
    if finished.swept.stuck > 0 {
        transcript
            .notices
            .push(format!("{} processes of the server could not be ended", finished.swept.stuck));
    }
    partner.talk.error_text().clone_into(&mut transcript.stdout);
    let over = partner.talk.break_off_at(&finished, setting.patience);
    let is_stopped =
        |failure: &HookFailure| matches!(failure, HookFailure::TimedOut { .. }) && is_asked(setting.stop);
    over.map_err(|failure| Said::Failure(if is_stopped(&failure) { HookFailure::stopped() } else { failure }))
}

impl Talk {
    /// What came of it, now that the server is gone.
    fn break_off_at(mut self, finished: &Finished, patience: Patience) -> Result<Answered, HookFailure> {
        let waited_for = self.waits_for();
        if let Some(outcome) = self.outcome() {
            return outcome.map_err(|detail| HookFailure::Failed { detail });
        }
        let how = match finished.ended {
            Ended::TimedOut => return Err(HookFailure::TimedOut { after: patience.timeout }),
            Ended::Exited(code) => format!("with exit code {code}"),
            Ended::Signalled(signal) => format!("by signal {signal}"),
            Ended::GoesOn | Ended::Unknown => "without an exit code".to_owned(),
        };
        let words = last_words(&finished.stderr_tail);
        let detail = format!("the server ended {how} before it answered `{waited_for}`{words}");
        Err(HookFailure::Failed { detail })
    }
}

/// What a server said last, behind a colon; nothing if it said nothing.
pub(super) fn last_words(stderr: &[u8]) -> String {
    let text = text::lossy(stderr);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words = super::talk::shortened(&text::clean(line));
    if words.is_empty() { words } else { format!(": {words}") }
}

/// The messages of a server, cut out of what it writes.
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

    /// A line that is no message is passed over: some servers greet the terminal.
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

impl Partner for Lines {
    fn hear(&mut self, bytes: &[u8]) -> Vec<u8> {
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
