//! A session with a server that is a program.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use serde_json::{Map, Value};

use super::{LONGEST_MESSAGE, McpRequest, Waiting, stopped, too_slow};
use crate::command::home;
use crate::hook_run::start_error;
use crate::interrupt::CHECK_INTERVAL;
use crate::mcp::conversation::Conversation;
use crate::mcp::stdio::{Lines, how_ended, last_line, to_line};
use crate::supervise::{ReadOutcome, Responder, SupervisedChild, Tail, read_once, read_rest};

const CHUNK: usize = 64 * 1024;
/// The most unsent bytes: while a server does not read, its output is not read either.
const MAX_UNSENT: usize = 1024 * 1024;

pub(super) struct Program {
    /// None after its end is known.
    process: Option<SupervisedChild>,
    stdin: Option<PipeWriter>,
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    unsent: Vec<u8>,
    lines: Option<Lines>,
    tail: Tail,
    chunk: Vec<u8>,
    end_text: String,
}

impl Program {
    pub(super) fn start(
        words: &[String],
        environment: &[(OsString, OsString)],
        variables: Vec<(String, String)>,
        folder: &Path,
    ) -> Result<Self, String> {
        let Some((first, arguments)) = words.split_first().filter(|(first, _)| !first.is_empty()) else {
            return Err("its `command` is empty".to_owned());
        };
        let file = home::expand(first, home::find(environment));
        let mut command = Command::new(&file);
        command.args(arguments).current_dir(folder).env_clear();
        command.envs(environment.iter().map(|(name, value)| (name, value))).envs(variables);
        let not_started = |error: io::Error| start_error(file.as_os_str(), &error);
        let (to_read, stdin) = io::pipe().map_err(not_started)?;
        let (stdout, to_stdout) = io::pipe().map_err(not_started)?;
        let (stderr, to_stderr) = io::pipe().map_err(not_started)?;
        ioctl_fionbio(&stdin, true).map_err(|error| not_started(error.into()))?;
        for reader in [&stdout, &stderr] {
            ioctl_fionbio(reader, true).map_err(|error| not_started(error.into()))?;
        }
        command.stdin(to_read).stdout(to_stdout).stderr(to_stderr);
        let process = SupervisedChild::start_own(command).map_err(not_started)?;
        Ok(Self {
            process: Some(process),
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            unsent: Vec::new(),
            lines: None,
            tail: Tail::default(),
            chunk: vec![0; CHUNK],
            end_text: String::new(),
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.process.as_ref().is_none_or(SupervisedChild::has_exited)
    }

    pub(super) fn ask(
        &mut self,
        request: McpRequest,
        waiting: Waiting<'_>,
    ) -> Result<Map<String, Value>, String> {
        let until = Instant::now() + waiting.time;
        let method = request.method;
        let message = if let Some(lines) = &mut self.lines {
            lines.conversation.next_request(request)
        } else {
            self.lines = Some(Lines::new(request, LONGEST_MESSAGE));
            Conversation::initialize_message()
        };
        self.unsent.extend(to_line(&message));
        loop {
            let over = self.is_over();
            self.move_bytes();
            if over {
                self.read_to_end();
            }
            if let Some(outcome) = self.lines.as_mut().and_then(|lines| lines.conversation.outcome()) {
                return outcome;
            }
            if over {
                let words = self.last_line();
                return Err(format!("{} before it answered `{method}`{words}", self.how_ended()));
            }
            let now = Instant::now();
            if (waiting.stop)() || now >= until {
                self.cancel();
                return Err(if now >= until { too_slow(method, waiting.time) } else { stopped(method) });
            }
            if let Some(process) = &mut self.process {
                process.tick(now);
            }
            self.wait(until.saturating_duration_since(now).min(CHECK_INTERVAL));
        }
    }

    /// Cancels the request.
    fn cancel(&mut self) {
        if let Some(lines) = &mut self.lines {
            self.unsent.extend(to_line(&lines.conversation.cancel()));
        }
        self.write();
    }

    /// Writes and reads without blocking.
    fn move_bytes(&mut self) {
        self.write();
        let Self { stdout, stderr, lines: Some(lines), chunk, unsent, tail, .. } = self else { return };
        if let Some(from) = stdout
            && unsent.len() < MAX_UNSENT
            && read_once(from, chunk, |bytes| unsent.extend(lines.respond(bytes))) == ReadOutcome::Closed
        {
            *stdout = None;
        }
        if let Some(from) = stderr
            && read_once(from, chunk, |bytes| tail.take(bytes)) == ReadOutcome::Closed
        {
            *stderr = None;
        }
        // Responses are sent at once, without a poll.
        self.write();
    }

    /// Reads the rest of its output after its end.
    fn read_to_end(&mut self) {
        let Self { stdout, stderr, lines: Some(lines), chunk, tail, .. } = self else { return };
        if let Some(mut from) = stdout.take() {
            read_rest(&mut from, chunk, |bytes| drop(lines.respond(bytes)));
        }
        if let Some(mut from) = stderr.take() {
            read_rest(&mut from, chunk, |bytes| tail.take(bytes));
        }
    }

    fn write(&mut self) {
        while let Some(stdin) = &mut self.stdin
            && !self.unsent.is_empty()
        {
            match stdin.write(&self.unsent) {
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Waits until a pipe is ready, the server has ended, or the time is over.
    fn wait(&self, longest: Duration) {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(4);
        let stdin = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        let stdout = self.stdout.as_ref().filter(|_| self.unsent.len() < MAX_UNSENT);
        fds.extend(stdout.map(|stdout| PollFd::new(stdout, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        let exit_fd = self.process.as_ref().and_then(SupervisedChild::exit_fd);
        fds.extend(exit_fd.map(|exit_fd| PollFd::from_borrowed_fd(exit_fd, PollFlags::IN)));
        // A poll that fails is a wait that was too short.
        let _ = poll(&mut fds, Timespec::try_from(longest).ok().as_ref());
    }

    /// Reaps it and returns a sentence about its end.
    fn how_ended(&mut self) -> &str {
        if let Some(process) = self.process.take() {
            self.end_text = how_ended(process.finish().0);
        }
        &self.end_text
    }

    fn last_line(&mut self) -> String {
        let (tail, _) = std::mem::take(&mut self.tail).into_bytes();
        self.tail.take(&tail);
        last_line(&tail)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A server ends when its stdin closes; otherwise it is terminated.
        self.stdin = None;
        if let Some(process) = self.process.take() {
            process.finish_after_grace();
        }
    }
}
