//! One request to a worker and its answer, while the function prints.

use std::io::{self, ErrorKind, IoSlice, PipeReader, PipeWriter, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::interrupt::{CHECK_INTERVAL, is_interrupted};
use crate::supervise::{Head, ReadOutcome, Tail, poll_with_exit, read_once, read_rest};

/// The size of one read.
const CHUNK: usize = 64 * 1024;
/// The size of an answer before its text.
const ANSWER_HEAD: usize = 14;
/// The first byte of a worker.
pub(super) const GREETING: u8 = b'k';

/// The answer of a worker.
pub(super) struct WorkerAnswer {
    /// The result of the call: see the head of `worker.py`.
    pub(super) kind: u8,
    /// Whether the worker takes another call.
    pub(super) stays: bool,
    pub(super) exit_code: i32,
    /// The number of leftover processes that the worker has ended.
    pub(super) ended: usize,
    /// The reply, or an error.
    pub(super) text: Head,
}

/// How an exchange ended.
pub(super) enum ExchangeEnd {
    Answer(WorkerAnswer),
    /// The worker ended.
    Lost {
        /// Whether it had greeted before.
        greeted: bool,
    },
    /// The time was over, or the run was interrupted.
    TimedOut,
}

/// The result of an exchange.
pub(super) struct Exchange {
    pub(super) end: ExchangeEnd,
    /// The end of the function's stdout.
    pub(super) stdout_tail: Tail,
    /// All of its stdout, because it may contain a deny.
    pub(super) stdout: Head,
    pub(super) stderr_tail: Tail,
}

/// A process that runs functions.
pub(super) trait WorkerProcess {
    /// A descriptor that becomes readable when it has ended, on systems that have one.
    fn exit_fd(&self) -> Option<BorrowedFd<'_>>;

    /// Whether it has ended. A forked copy of it may still hold the link.
    fn is_gone(&self) -> bool;

    /// Called regularly during a call; returns when to call it next.
    fn tick(&mut self, now: Instant) -> Option<Instant>;
}

/// Two pipes for the output of a function; their other ends are sent with the request.
pub(super) struct OutputPipes {
    out: Option<PipeReader>,
    err: Option<PipeReader>,
    ends: Option<(PipeWriter, PipeWriter)>,
}

impl OutputPipes {
    pub(super) fn new() -> io::Result<Self> {
        let ((out, out_end), (err, err_end)) = (io::pipe()?, io::pipe()?);
        ioctl_fionbio(&out, true)?;
        ioctl_fionbio(&err, true)?;
        Ok(Self { out: Some(out), err: Some(err), ends: Some((out_end, err_end)) })
    }

    /// The stderr of a process that fails to start.
    pub(super) fn stderr(&self) -> io::Result<PipeWriter> {
        match &self.ends {
            Some((_, err)) => err.try_clone(),
            None => Err(ErrorKind::BrokenPipe.into()),
        }
    }
}

/// A request and its limits.
pub(super) struct WorkerCall<'a> {
    /// Sent first to a new worker.
    pub(super) sources: &'a [u8],
    pub(super) request: &'a [u8],
    pub(super) max_answer: usize,
    pub(super) deadline: Instant,
    /// Ends the exchange early while it is true.
    pub(super) stop: Option<&'a AtomicBool>,
}

/// Sends a request and reads until there is an answer, the worker has ended, or the time is over.
pub(super) fn exchange(
    link: &UnixStream,
    call: &WorkerCall<'_>,
    pipes: OutputPipes,
    worker: &mut dyn WorkerProcess,
) -> Exchange {
    let mut transfer = Transfer {
        link,
        sources: call.sources,
        request: call.request,
        incoming: Incoming::new(!call.sources.is_empty(), call.max_answer),
        pipes,
        stdout_tail: Tail::default(),
        stdout: Head::with_limit(0),
        stderr_tail: Tail::default(),
        chunk: vec![0; CHUNK],
    };
    let end = transfer.run(call, worker);
    let Transfer { pipes, mut stdout_tail, mut stdout, mut stderr_tail, mut chunk, .. } = transfer;
    if let Some(mut out) = pipes.out {
        read_rest(&mut out, &mut chunk, |bytes| {
            stdout_tail.take(bytes);
            stdout.take(bytes);
        });
    }
    if let Some(mut err) = pipes.err {
        read_rest(&mut err, &mut chunk, |bytes| stderr_tail.take(bytes));
    }
    Exchange { end, stdout_tail, stdout, stderr_tail }
}

/// Reads from a pipe. A closed one would stay readable for ever, so it is dropped.
fn read_pipe(pipe: &mut Option<PipeReader>, chunk: &mut [u8], into: impl FnMut(&[u8])) {
    if pipe.as_mut().is_some_and(|open| read_once(open, chunk, into) == ReadOutcome::Closed) {
        *pipe = None;
    }
}

struct Transfer<'a> {
    link: &'a UnixStream,
    sources: &'a [u8],
    request: &'a [u8],
    incoming: Incoming,
    pipes: OutputPipes,
    stdout_tail: Tail,
    stdout: Head,
    stderr_tail: Tail,
    chunk: Vec<u8>,
}

impl Transfer<'_> {
    fn run(&mut self, call: &WorkerCall<'_>, worker: &mut dyn WorkerProcess) -> ExchangeEnd {
        if self.link.set_nonblocking(true).is_err() {
            return ExchangeEnd::Lost { greeted: false };
        }
        loop {
            // Checked before reading: the last bytes of an ended worker are in the link by now.
            let gone = worker.is_gone();
            self.write();
            let read = self.read();
            if self.incoming.is_whole() {
                return ExchangeEnd::Answer(self.incoming.take_answer());
            }
            if read == ReadOutcome::Closed || (gone && read == ReadOutcome::Empty) {
                return ExchangeEnd::Lost { greeted: self.incoming.greeted };
            }
            let now = Instant::now();
            if now >= call.deadline || is_interrupted(call.stop) {
                return ExchangeEnd::TimedOut;
            }
            let mut next = worker.tick(now).map_or(call.deadline, |next| next.min(call.deadline));
            if call.stop.is_some() {
                next = next.min(now + CHECK_INTERVAL);
            }
            if !gone {
                poll_with_exit(self.poll_fds(), worker.exit_fd(), next.saturating_duration_since(now));
            }
        }
    }

    /// Reads without blocking; returns the outcome for the link.
    fn read(&mut self) -> ReadOutcome {
        let Self { link, incoming, pipes, stdout_tail, stdout, stderr_tail, chunk, .. } = self;
        let outcome = read_once(link, chunk, |bytes| incoming.take(bytes));
        read_pipe(&mut pipes.out, chunk, |bytes| {
            stdout_tail.take(bytes);
            stdout.take(bytes);
        });
        read_pipe(&mut pipes.err, chunk, |bytes| stderr_tail.take(bytes));
        outcome
    }

    /// Writes without blocking. The ends of the pipes go with the first byte of the request. Errors are ignored:
    /// reading reports a lost worker.
    fn write(&mut self) {
        if !write_all(self.link, &mut self.sources) {
            return;
        }
        if let Some((out, err)) = &self.pipes.ends {
            let fds = [out.as_fd(), err.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
            let mut along = SendAncillaryBuffer::new(&mut space);
            along.push(SendAncillaryMessage::ScmRights(&fds));
            match sendmsg(self.link, &[IoSlice::new(self.request)], &mut along, SendFlags::NOSIGNAL) {
                Ok(written) => self.request = &self.request[written..],
                Err(_) => return,
            }
            self.pipes.ends = None;
        }
        write_all(self.link, &mut self.request);
    }

    fn poll_fds(&self) -> Vec<PollFd<'_>> {
        let writes = !self.sources.is_empty() || !self.request.is_empty();
        let direction = if writes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut fds = vec![PollFd::new(self.link, direction)];
        fds.extend(self.pipes.out.as_ref().map(|out| PollFd::new(out, PollFlags::IN)));
        fds.extend(self.pipes.err.as_ref().map(|err| PollFd::new(err, PollFlags::IN)));
        fds
    }
}

/// Whether all bytes are written.
fn write_all(mut link: &UnixStream, bytes: &mut &[u8]) -> bool {
    while !bytes.is_empty() {
        match link.write(bytes) {
            Ok(written) => *bytes = &bytes[written..],
            Err(_) => return false,
        }
    }
    true
}

/// An answer that is not complete yet.
struct Incoming {
    greeted: bool,
    head: Vec<u8>,
    text: Head,
    text_bytes: usize,
}

impl Incoming {
    fn new(is_new: bool, most: usize) -> Self {
        let head = Vec::with_capacity(ANSWER_HEAD);
        Self { greeted: !is_new, head, text: Head::with_limit(most), text_bytes: 0 }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        if !self.greeted && bytes.first() == Some(&GREETING) {
            self.greeted = true;
            bytes = &bytes[1..];
        }
        let (head, text) = bytes.split_at(bytes.len().min(ANSWER_HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.text.take(text);
        self.text_bytes += text.len();
    }

    fn number(&self, at: usize) -> usize {
        let bytes = self.head.get(at..at + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        bytes.map_or(0, |bytes| u32::from_be_bytes(bytes) as usize)
    }

    fn is_whole(&self) -> bool {
        self.head.len() == ANSWER_HEAD && self.text_bytes >= self.number(10)
    }

    fn take_answer(&mut self) -> WorkerAnswer {
        WorkerAnswer {
            kind: self.head[0],
            stays: self.head[1] == b'.',
            exit_code: i32::try_from(self.number(2)).unwrap_or(1),
            ended: self.number(6),
            text: std::mem::take(&mut self.text),
        }
    }
}
