//! A server that is a program and stays.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use serde_json::{Map, Value};

use super::{LONGEST_MESSAGE, Question, Waiting, stopped, too_slow};
use crate::command::home;
use crate::hook_run::start_error;
use crate::mcp::stdio::{Lines, last_words, line_of};
use crate::mcp::talk::Talk;
use crate::supervise::{Ended, ReadOutcome, Responder, SupervisedChild, Tail, read_once, read_rest};

/// How often the stop flag is polled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
const CHUNK: usize = 64 * 1024;
/// Most unsent bytes: a server that does not read is not read either.
const MOST_UNSAID: usize = 1024 * 1024;

pub(super) struct Program {
    /// Gone when it is known to have ended.
    process: Option<SupervisedChild>,
    stdin: Option<PipeWriter>,
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    to_say: Vec<u8>,
    lines: Option<Lines>,
    tail: Tail,
    chunk: Vec<u8>,
    epitaph: String,
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
            to_say: Vec::new(),
            lines: None,
            tail: Tail::default(),
            chunk: vec![0; CHUNK],
            epitaph: String::new(),
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.process.as_ref().is_none_or(SupervisedChild::has_exited)
    }

    pub(super) fn ask(
        &mut self,
        question: Question,
        waiting: Waiting<'_>,
    ) -> Result<Map<String, Value>, String> {
        let until = Instant::now() + waiting.time;
        let method = question.method;
        let message = if let Some(lines) = &mut self.lines {
            lines.talk.again(question)
        } else {
            self.lines = Some(Lines::about(question, LONGEST_MESSAGE));
            Talk::opening()
        };
        self.to_say.extend(line_of(&message));
        loop {
            let over = self.is_over();
            self.move_bytes();
            if over {
                self.hear_the_rest();
            }
            if let Some(outcome) = self.lines.as_mut().and_then(|lines| lines.talk.outcome()) {
                return outcome;
            }
            if over {
                let words = self.last_words();
                return Err(format!("{} before it answered `{method}`{words}", self.bury()));
            }
            let now = Instant::now();
            if (waiting.stop)() || now >= until {
                self.give_up();
                let is_late = now >= until;
                return Err(if is_late { too_slow(method, waiting.time) } else { stopped(method) });
            }
            if let Some(process) = &mut self.process {
                process.tick(now);
            }
            self.nap(until.saturating_duration_since(now).min(CHECK_INTERVAL));
        }
    }

    /// Cancels the request.
    fn give_up(&mut self) {
        if let Some(lines) = &mut self.lines {
            self.to_say.extend(line_of(&lines.talk.give_up()));
        }
        self.feed();
    }

    /// Writes and reads as much as goes at once.
    fn move_bytes(&mut self) {
        self.feed();
        let Self { stdout, stderr, lines: Some(lines), chunk, to_say, tail, .. } = self else { return };
        if let Some(from) = stdout
            && to_say.len() < MOST_UNSAID
            && read_once(from, chunk, |bytes| to_say.extend(lines.respond(bytes))) == ReadOutcome::Closed
        {
            *stdout = None;
        }
        if let Some(from) = stderr
            && read_once(from, chunk, |bytes| tail.take(bytes)) == ReadOutcome::Closed
        {
            *stderr = None;
        }
        // Responses are sent at once, without a poll.
        self.feed();
    }

    /// Reads the rest of its pipes after its end.
    fn hear_the_rest(&mut self) {
        let Self { stdout, stderr, lines: Some(lines), chunk, tail, .. } = self else { return };
        if let Some(mut from) = stdout.take() {
            read_rest(&mut from, chunk, |bytes| drop(lines.respond(bytes)));
        }
        if let Some(mut from) = stderr.take() {
            read_rest(&mut from, chunk, |bytes| tail.take(bytes));
        }
    }

    fn feed(&mut self) {
        while let Some(stdin) = &mut self.stdin
            && !self.to_say.is_empty()
        {
            match stdin.write(&self.to_say) {
                Ok(written) => drop(self.to_say.drain(..written)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Sleeps until something can be written or read, it has ended, or the time is over.
    fn nap(&self, longest: Duration) {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(4);
        let stdin = self.stdin.as_ref().filter(|_| !self.to_say.is_empty());
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        let stdout = self.stdout.as_ref().filter(|_| self.to_say.len() < MOST_UNSAID);
        fds.extend(stdout.map(|stdout| PollFd::new(stdout, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        let exit_fd = self.process.as_ref().and_then(SupervisedChild::exit_fd);
        fds.extend(exit_fd.map(|exit_fd| PollFd::from_borrowed_fd(exit_fd, PollFlags::IN)));
        // A poll that fails is a nap that was too short.
        let _ = poll(&mut fds, Timespec::try_from(longest).ok().as_ref());
    }

    /// How it ended, which does not change any more.
    fn bury(&mut self) -> &str {
        if let Some(process) = self.process.take() {
            let how = match process.finish().0 {
                Ended::Exited(code) => format!("with exit code {code}"),
                Ended::Signalled(signal) => format!("by signal {signal}"),
                Ended::TimedOut | Ended::LeftAsync | Ended::Unknown => "without an exit code".to_owned(),
            };
            self.epitaph = format!("the server ended {how}");
        }
        &self.epitaph
    }

    fn last_words(&mut self) -> String {
        let (tail, _) = std::mem::take(&mut self.tail).into_bytes();
        self.tail.take(&tail);
        last_words(&tail)
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
