//! The three pipes of a process, none of which can make us wait and none of which can fill our memory.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;

#[cfg(target_os = "linux")]
use super::caretaker;
use super::tag::Tag;

/// How much of stdout is searched for a deny, beyond the part that is used.
pub(crate) const READ_LIMIT: usize = 64 * 1024 * 1024;
/// How much of the end of stderr is kept.
pub(crate) const STDERR_TAIL: usize = 64 * 1024;
/// What one read takes at most: a pipe's usual size.
const CHUNK: usize = 64 * 1024;
/// What the first ones take: most hooks say little, and memory that nobody writes to is not free either.
const FIRST_CHUNK: usize = 4 * 1024;
/// The most a pipe can hold without privileges: more than that was written after the process had ended, by
/// someone else.
const LARGEST_PIPE: usize = 1024 * 1024;

/// Who answers a process while it runs.
pub(crate) trait Partner {
    /// Takes what the process wrote to its stdout, and gives what it is told in return.
    fn hear(&mut self, bytes: &[u8]) -> Vec<u8>;

    /// Whether nothing more is to be said or heard.
    fn is_done(&self) -> bool;
}

/// The pipes of a process, and what was heard from it.
pub(super) struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    to_say: &'a [u8],
    partner: Option<&'a mut dyn Partner>,
    /// What the partner says, behind `to_say`.
    answers: Vec<u8>,
    stdout: Option<ChildStdout>,
    head: Head,
    stderr: Option<ChildStderr>,
    tail: Tail,
    chunk: Vec<u8>,
}

impl<'a> Pipes<'a> {
    /// Takes the pipes of a process.
    pub(super) fn of(child: &mut Child, to_say: &'a [u8], max_stdout: usize) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let fds = [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
        ];
        for fd in fds.into_iter().flatten() {
            ioctl_fionbio(fd, true)?;
        }
        Ok(Self {
            stdin,
            to_say,
            partner: None,
            answers: Vec::new(),
            stdout,
            head: Head::of_at_most(max_stdout),
            stderr,
            tail: Tail::default(),
            chunk: vec![0; FIRST_CHUNK],
        })
    }

    /// With someone who hears its stdout and goes on talking; what is heard is not kept then.
    pub(super) fn with_partner(mut self, partner: Option<&'a mut dyn Partner>) -> Self {
        self.partner = partner;
        self
    }

    /// Whether there is a partner and the conversation is over.
    pub(super) fn said_goodbye(&self) -> bool {
        self.partner.as_ref().is_some_and(|partner| partner.is_done())
    }

    /// Writes and reads as much as goes at once; a stream at its end is closed.
    pub(super) fn move_bytes(&mut self) {
        self.feed();
        let listens = self.listens();
        if let Some(stdout) = &mut self.stdout
            && listens
        {
            let mut ear =
                Ear { head: &mut self.head, partner: &mut self.partner, answers: &mut self.answers };
            match read_once(stdout, &mut self.chunk, |bytes| ear.take(bytes)) {
                Stream::Ended => self.stdout = None,
                // There is more where this comes from.
                Stream::Gave(count) if count == FIRST_CHUNK => self.chunk.resize(CHUNK, 0),
                Stream::Gave(_) | Stream::Empty => {}
            }
        }
        if self.partner.is_some() {
            // An answer goes out at once, and so does the end of the conversation: nobody polls for that.
            self.feed();
        }
        if let Some(stderr) = &mut self.stderr
            && read_once(stderr, &mut self.chunk, |bytes| self.tail.take(bytes)) == Stream::Ended
        {
            self.stderr = None;
        }
    }

    /// Reads what the process had left in its pipes when it ended, and not what others still pour in.
    pub(super) fn read_what_is_there(&mut self) {
        if let Some(stdout) = &mut self.stdout {
            let mut ear =
                Ear { head: &mut self.head, partner: &mut self.partner, answers: &mut self.answers };
            read_rest(stdout, &mut self.chunk, |bytes| ear.take(bytes));
        }
        if let Some(stderr) = &mut self.stderr {
            read_rest(stderr, &mut self.chunk, |bytes| self.tail.take(bytes));
        }
    }

    /// Whether nobody can write to us any more.
    pub(super) fn are_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// Whether it was told everything.
    pub(super) fn has_said_all(&self) -> bool {
        self.stdin.is_none()
    }

    /// The beginning of its stdout.
    pub(super) fn heard(&self) -> &[u8] {
        &self.head.kept
    }

    /// Leaves the process to a caretaker; false if there is none.
    #[cfg(target_os = "linux")]
    pub(super) fn hand_over(&mut self, tag: &Tag, deadline: Instant) -> bool {
        caretaker::post(tag, deadline, self.stdout.take(), self.stderr.take()).is_ok()
    }

    /// Leaves the process to a caretaker; here there is none.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn hand_over(&mut self, _: &Tag, _: Instant) -> bool {
        false
    }

    /// What to wait for.
    pub(super) fn poll_fds(&self) -> Vec<PollFd<'_>> {
        let mut fds = Vec::with_capacity(4);
        let stdin = self.stdin.as_ref().filter(|_| !self.words().is_empty());
        fds.extend(stdin.map(|fd| PollFd::new(fd, PollFlags::OUT)));
        let stdout = self.stdout.as_ref().filter(|_| self.listens());
        fds.extend(stdout.map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds
    }

    /// The head of stdout, the tail of stderr, and how many bytes went before.
    pub(super) fn into_heard(self) -> (Head, Vec<u8>, u64) {
        let (tail, cut) = self.tail.into_bytes();
        (self.head, tail, cut)
    }

    /// What is to be written next.
    fn words(&self) -> &[u8] {
        if self.to_say.is_empty() { &self.answers } else { self.to_say }
    }

    /// Who does not read our answers is not listened to: they would pile up here.
    fn listens(&self) -> bool {
        self.answers.len() < CHUNK
    }

    /// Writes until the pipe is full. A process that closes its stdin has heard enough; that is no error.
    fn feed(&mut self) {
        while let Some(stdin) = &mut self.stdin {
            let words = if self.to_say.is_empty() { &self.answers } else { self.to_say };
            if words.is_empty() {
                if self.partner.as_ref().is_none_or(|partner| partner.is_done()) {
                    self.stdin = None;
                }
                return;
            }
            match stdin.write(words) {
                Ok(written) if self.to_say.is_empty() => drop(self.answers.drain(..written)),
                Ok(written) => self.to_say = &self.to_say[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.stdin = None,
            }
        }
    }
}

/// Where stdout goes: into the head, or to the partner.
struct Ear<'e, 'a> {
    head: &'e mut Head,
    partner: &'e mut Option<&'a mut dyn Partner>,
    answers: &'e mut Vec<u8>,
}

impl Ear<'_, '_> {
    fn take(&mut self, bytes: &[u8]) {
        match self.partner {
            Some(partner) => self.answers.extend(partner.hear(bytes)),
            None => self.head.take(bytes),
        }
    }
}

/// What became of a stream by reading from it.
#[derive(PartialEq)]
pub(crate) enum Stream {
    /// There were this many bytes.
    Gave(usize),
    /// Nothing now.
    Empty,
    /// Nothing ever again.
    Ended,
}

/// Reads as much as goes at once.
pub(crate) fn read_once(from: &mut impl Read, chunk: &mut [u8], mut take: impl FnMut(&[u8])) -> Stream {
    match from.read(chunk) {
        Ok(0) => Stream::Ended,
        Ok(count) => {
            take(&chunk[..count]);
            Stream::Gave(count)
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Stream::Empty,
        Err(_) => Stream::Ended,
    }
}

/// Reads what is there, and not more than a pipe can hold.
pub(crate) fn read_rest(from: &mut impl Read, chunk: &mut [u8], mut take: impl FnMut(&[u8])) {
    let mut total = 0;
    while total < LARGEST_PIPE {
        match read_once(from, chunk, &mut take) {
            Stream::Gave(count) => total += count,
            Stream::Empty | Stream::Ended => return,
        }
    }
}

/// The beginning of a stream, and how many bytes followed. What follows is kept as well, up to [`READ_LIMIT`], because a
/// deny may stand there.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) kept: Vec<u8>,
    most: usize,
    pub(crate) rest: Vec<u8>,
    pub(crate) cut: u64,
}

impl Head {
    pub(crate) fn of_at_most(most: usize) -> Self {
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

/// The end of a stream, and how many bytes went before. Up to twice as much is held, so that the front is dropped rarely.
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
