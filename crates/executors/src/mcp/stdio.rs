//! An MCP server that is a program: JSON messages on its stdin and stdout, one per line.

use std::process::Command;

use serde_json::Value;
use tenter_contract::{HookFailure, HookOutput, LeftoverProcesses, Transcript};

use super::call::McpResult;
use super::conversation::{self, Conversation, MESSAGE_LIMIT, McpRequest, parse_message};
use crate::command::program::Program;
use crate::command::text;
use crate::hook_run::{HookRun, start_error};
use crate::missing;
use crate::secrets::Secrets;
use crate::supervise::{self, Ended, FinishedProcess, ProcessSpec, Responder};

/// Starts the server, sends the request and ends the server with everything it started.
pub(super) fn ask(
    run: &HookRun<'_>,
    (words, variables): (&[String], &[(String, String)]),
    request: McpRequest,
    secrets: &mut Secrets,
    transcript: &mut Transcript,
) -> Result<McpResult, HookOutput> {
    let program = Program::from_words(words.to_vec(), run.home())?;
    transcript.command = Some(format!("{} ({})", program.shown, request.method));
    let mut environment = run.environment(None, &mut transcript.notices);
    for (name, value) in variables {
        let value = secrets.filled(name, value, run.ours).map_err(HookOutput::Failure)?;
        environment.insert(name.into(), value.into());
    }
    let mut command = Command::new(&program.file);
    command.args(&program.arguments).env_clear().envs(environment);
    if let Some(folder) = run.folder(&mut transcript.notices).map_err(HookOutput::Failure)? {
        command.current_dir(folder);
    }
    let spec = ProcessSpec {
        command,
        stdin: &to_line(&Conversation::initialize_message()),
        max_stdout: 0,
        deadline: run.deadline,
        tag: run.tag(),
        // A server is not a leftover process of a hook.
        leftovers: LeftoverProcesses::Ended,
        process_tree: run.process_tree,
        stop: run.stop,
        detects_async: None,
    };
    let mut responder = Lines::new(request, MESSAGE_LIMIT);
    let finished = supervise::converse(spec, &mut responder)
        .map_err(|error| missing(start_error(&program.file, &error)))?;
    transcript.took = finished.took;
    transcript.stderr = text::lossy(&finished.stderr_tail);
    transcript.notices.extend(responder.skipped_notice());
    let stuck = finished.leftovers.stuck;
    if stuck > 0 {
        transcript.notices.push(format!("{stuck} processes of the server could not be ended"));
    }
    responder.conversation.error_text().clone_into(&mut transcript.stdout);
    result(responder.conversation, &finished, run).map_err(HookOutput::Failure)
}

/// The result, after the server has ended.
fn result(
    mut conversation: Conversation,
    finished: &FinishedProcess,
    run: &HookRun<'_>,
) -> Result<McpResult, HookFailure> {
    let method = conversation.pending_method();
    if let Some(outcome) = conversation.outcome() {
        return outcome.map_err(|detail| HookFailure::Failed { detail });
    }
    if finished.ended == Ended::TimedOut {
        return Err(run.timeout_failure());
    }
    let (how, line) = (how_ended(finished.ended), last_line(&finished.stderr_tail));
    Err(HookFailure::Failed { detail: format!("{how} before it answered `{method}`{line}") })
}

/// A sentence about the end of a server.
pub(super) fn how_ended(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("the server ended with exit code {code}"),
        Ended::Signalled(signal) => format!("the server ended by signal {signal}"),
        Ended::TimedOut | Ended::LeftAsync | Ended::Unknown => {
            "the server ended without an exit code".to_owned()
        }
    }
}

/// The last line of a server's stderr, after a colon.
pub(super) fn last_line(stderr: &[u8]) -> String {
    let text = text::lossy(stderr);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = conversation::shortened(&text::clean(line));
    if line.is_empty() { line } else { format!(": {line}") }
}

/// Reads the messages in a server's output.
pub(super) struct Lines {
    pub(super) conversation: Conversation,
    line: Vec<u8>,
    most: usize,
    skipped: usize,
}

impl Lines {
    pub(super) fn new(request: McpRequest, most: usize) -> Self {
        Self { conversation: Conversation::new(request), line: Vec::new(), most, skipped: 0 }
    }

    /// A line that is not a message is skipped: some servers print a banner.
    fn end_line(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        if let Some(message) = parse_message(&line) {
            self.conversation.receive(message).iter().flat_map(to_line).collect()
        } else {
            self.skipped += 1;
            Vec::new()
        }
    }

    fn skipped_notice(&self) -> Option<String> {
        match self.skipped {
            0 => None,
            1 => Some("1 line of the server's output is not a message and was skipped".to_owned()),
            many => Some(format!("{many} lines of the server's output are not messages and were skipped")),
        }
    }
}

impl Responder for Lines {
    fn respond(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answers = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.conversation.is_done() {
                break;
            }
            self.line.extend_from_slice(piece);
            if self.line.len() > self.most.saturating_add(1) {
                self.line = Vec::new();
                self.conversation.fail(conversation::too_long(self.most));
            } else if piece.ends_with(b"\n") {
                answers.extend(self.end_line());
            }
        }
        answers
    }

    fn is_done(&self) -> bool {
        self.conversation.is_done()
    }
}

pub(super) fn to_line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}
