//! The three pipes of a process. None of them can block tenter or fill its memory.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;

#[cfg(target_os = "linux")]
use super::async_watcher;
use super::run_tag::RunTag;

/// How much of stdout is searched for a deny, beyond the part that is used.
pub(crate) const READ_LIMIT: usize = 64 * 1024 * 1024;
/// How much of the end of stderr is kept.
pub(crate) const STDERR_TAIL: usize = 64 * 1024;
/// The size of one read: a pipe's usual size.
const CHUNK: usize = 64 * 1024;
/// The size of the first reads: most hooks write little, and untouched memory is not free either.
const FIRST_CHUNK: usize = 4 * 1024;
/// The most a pipe can hold without privileges. Other processes wrote everything beyond after the end of this one.
const LARGEST_PIPE: usize = 1024 * 1024;

/// Answers a process while it runs.
pub(crate) trait Responder {
    /// Takes output of the process and returns its next input.
    fn respond(&mut self, output: &[u8]) -> Vec<u8>;

    /// Whether the conversation is over.
    fn is_done(&self) -> bool;
}

/// The pipes of a process, and its output so far.
pub(super) struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    responder: Option<&'a mut dyn Responder>,
    /// The responses, sent after `input`.
    responses: Vec<u8>,
    stdout: Option<ChildStdout>,
    head: Head,
    stderr: Option<ChildStderr>,
    tail: Tail,
    chunk: Vec<u8>,
}

impl<'a> Pipes<'a> {
    /// With a responder, it gets stdout instead of the head.
    pub(super) fn new(
        child: &mut Child,
        input: &'a [u8],
        max_stdout: usize,
        responder: Option<&'a mut dyn Responder>,
    ) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let fds = [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
        ];
        for fd in fds.into_iter().flatten() {
            ioctl_fionbio(fd, true)?;
        }
        let (responses, tail) = (Vec::new(), Tail::default());
        let (head, chunk) = (Head::with_limit(max_stdout), vec![0; FIRST_CHUNK]);
        Ok(Self { stdin, input, responder, responses, stdout, head, stderr, tail, chunk })
    }

    pub(super) fn conversation_is_over(&self) -> bool {
        self.responder.as_ref().is_some_and(|responder| responder.is_done())
    }

    /// Writes and reads without blocking; closes a stream at its end.
    pub(super) fn move_bytes(&mut self) {
        self.feed();
        if self.accepts_output() {
            match self.read_stdout(|stdout, chunk, take| read_once(stdout, chunk, take)) {
                Some(ReadOutcome::Closed) => self.stdout = None,
                // There is more where this comes from.
                Some(ReadOutcome::Bytes(FIRST_CHUNK)) => self.chunk.resize(CHUNK, 0),
                Some(ReadOutcome::Bytes(_) | ReadOutcome::Empty) | None => {}
            }
        }
        if self.responder.is_some() {
            // A response goes out at once, and so does the end of the conversation: `poll` does not report that.
            self.feed();
        }
        if let Some(stderr) = &mut self.stderr
            && read_once(stderr, &mut self.chunk, |bytes| self.tail.take(bytes)) == ReadOutcome::Closed
        {
            self.stderr = None;
        }
    }

    /// Reads the output that was in the pipes when the process ended, and not the output of others after it.
    pub(super) fn read_available(&mut self) {
        self.read_stdout(|stdout, chunk, take| read_rest(stdout, chunk, take));
        if let Some(stderr) = &mut self.stderr {
            read_rest(stderr, &mut self.chunk, |bytes| self.tail.take(bytes));
        }
    }

    fn read_stdout<R>(
        &mut self,
        read: impl FnOnce(&mut ChildStdout, &mut [u8], &mut dyn FnMut(&[u8])) -> R,
    ) -> Option<R> {
        let Self { stdout, chunk, responder, responses, head, .. } = self;
        let mut take = |bytes: &[u8]| match responder {
            Some(responder) => responses.extend(responder.respond(bytes)),
            None => head.take(bytes),
        };
        Some(read(stdout.as_mut()?, chunk, &mut take))
    }

    /// Whether stdout and stderr are closed.
    pub(super) fn are_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    pub(super) fn input_is_sent(&self) -> bool {
        self.stdin.is_none()
    }

    /// The beginning of stdout.
    pub(super) fn output(&self) -> &[u8] {
        &self.head.kept
    }

    /// Leaves the process to an async watcher; false if there is none.
    #[cfg(target_os = "linux")]
    pub(super) fn hand_to_async_watcher(&mut self, tag: &RunTag, deadline: Instant) -> bool {
        async_watcher::start(tag, deadline, self.stdout.take(), self.stderr.take()).is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn hand_to_async_watcher(&mut self, _: &RunTag, _: Instant) -> bool {
        false
    }

    pub(super) fn poll_fds(&self) -> Vec<PollFd<'_>> {
        let mut fds = Vec::with_capacity(4);
        let has_input = !self.input.is_empty() || !self.responses.is_empty();
        fds.extend(self.stdin.as_ref().filter(|_| has_input).map(|fd| PollFd::new(fd, PollFlags::OUT)));
        let stdout = self.stdout.as_ref().filter(|_| self.accepts_output());
        fds.extend(stdout.map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds
    }

    /// The head of stdout, the tail of stderr, and the number of bytes before the tail.
    pub(super) fn into_output(self) -> (Head, Vec<u8>, u64) {
        let (tail, cut) = self.tail.into_bytes();
        (self.head, tail, cut)
    }

    /// Output waits while the process does not read the responses, which would pile up here.
    fn accepts_output(&self) -> bool {
        self.responses.len() < CHUNK
    }

    /// Writes until the pipe is full. A process may close its stdin early; that is not an error.
    fn feed(&mut self) {
        while let Some(stdin) = &mut self.stdin {
            let next = if self.input.is_empty() { &self.responses } else { self.input };
            if next.is_empty() {
                if self.responder.as_ref().is_none_or(|responder| responder.is_done()) {
                    self.stdin = None;
                }
                return;
            }
            match stdin.write(next) {
                Ok(written) if self.input.is_empty() => drop(self.responses.drain(..written)),
                Ok(written) => self.input = &self.input[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.stdin = None,
            }
        }
    }
}

/// The result of one read.
#[derive(PartialEq)]
pub(crate) enum ReadOutcome {
    /// This many bytes.
    Bytes(usize),
    /// Nothing now.
    Empty,
    /// The end of the stream.
    Closed,
}

/// Reads once without blocking.
pub(crate) fn read_once(from: &mut impl Read, chunk: &mut [u8], mut take: impl FnMut(&[u8])) -> ReadOutcome {
    match from.read(chunk) {
        Ok(0) => ReadOutcome::Closed,
        Ok(count) => {
            take(&chunk[..count]);
            ReadOutcome::Bytes(count)
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            ReadOutcome::Empty
        }
        Err(_) => ReadOutcome::Closed,
    }
}

/// Reads the available bytes, at most what a pipe can hold.
pub(crate) fn read_rest(from: &mut impl Read, chunk: &mut [u8], mut take: impl FnMut(&[u8])) {
    let mut total = 0;
    while total < LARGEST_PIPE {
        match read_once(from, chunk, &mut take) {
            ReadOutcome::Bytes(count) => total += count,
            ReadOutcome::Empty | ReadOutcome::Closed => return,
        }
    }
}

/// The beginning of a stream, and the number of bytes that followed. They are kept as well, up to [`READ_LIMIT`],
/// because they may contain a deny.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) kept: Vec<u8>,
    most: usize,
    pub(crate) rest: Vec<u8>,
    pub(crate) cut: u64,
}

impl Head {
    pub(crate) fn with_limit(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let room = bytes.len().min(self.most.saturating_sub(self.kept.len()));
        let (kept, rest) = bytes.split_at(room);
        self.kept.extend_from_slice(kept);
        self.cut += rest.len() as u64;
        let room = rest.len().min(READ_LIMIT.saturating_sub(self.rest.len()));
        self.rest.extend_from_slice(&rest[..room]);
    }
}

/// The end of a stream, and the number of bytes before it. Holds up to twice as much, so that the front is dropped
/// rarely.
#[derive(Default)]
pub(crate) struct Tail {
    kept: Vec<u8>,
    cut: u64,
}

impl Tail {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        if self.kept.len() > 2 * STDERR_TAIL {
            self.drop_front();
        }
    }

    fn drop_front(&mut self) {
        let front = self.kept.len().saturating_sub(STDERR_TAIL);
        self.kept.drain(..front);
        self.cut += front as u64;
    }

    pub(crate) fn into_bytes(mut self) -> (Vec<u8>, u64) {
        self.drop_front();
        (self.kept, self.cut)
    }
}
