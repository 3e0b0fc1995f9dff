//! One question to a worker and its answer, whatever the function prints meanwhile.

use std::io::{self, ErrorKind, IoSlice, PipeReader, PipeWriter, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::stopping::{LOOK, is_asked};
use crate::supervise::{Head, LONGEST_NAP, Stream, TICK, Tail, read_once, read_rest};

/// What one read takes at most.
const CHUNK: usize = 64 * 1024;
/// What comes before the text of an answer.
const ANSWER_HEAD: usize = 14;
/// What a worker says when it is there.
pub(super) const GREETING: u8 = b'k';

/// What a worker answered.
pub(super) struct Answer {
    /// What became of the call: see the head of `worker.py`.
    pub(super) kind: u8,
    /// Whether it can be asked again.
    pub(super) stays: bool,
    /// The exit code, where there is one.
    pub(super) number: i32,
    /// So many processes were left running and are ended.
    pub(super) ended: usize,
    /// The reply, or what is wrong.
    pub(super) text: Head,
}

/// How an exchange came to its end.
pub(super) enum Came {
    /// By an answer.
    Answer(Answer),
    /// The worker went away.
    Lost {
        /// Whether it had been there at all.
        greeted: bool,
    },
    /// The time was up, or somebody did not want to wait.
    Late,
}

/// What was heard in an exchange.
pub(super) struct Heard {
    /// How it ended.
    pub(super) came: Came,
    /// The end of what the function printed.
    pub(super) printed: Tail,
    /// All that it printed, because a deny may be in it.
    pub(super) all_printed: Head,
    /// The end of what it complained about.
    pub(super) complained: Tail,
}

/// Whoever runs the function.
pub(super) trait Peer {
    /// A descriptor that becomes readable when it has ended, where the system has such a thing.
    fn bell(&self) -> Option<BorrowedFd<'_>>;

    /// Whether it has ended. A copy of it may still hold our link.
    fn is_gone(&self) -> bool;

    /// Is told the time now and then, and says when it wants to be told again.
    fn tick(&mut self, now: Instant) -> Option<Instant>;
}

/// Where a function prints to: two pipes, whose other ends go along with the question.
pub(super) struct Prints {
    out: Option<PipeReader>,
    err: Option<PipeReader>,
    ends: Option<(PipeWriter, PipeWriter)>,
}

impl Prints {
    pub(super) fn new() -> io::Result<Self> {
        let ((out, out_end), (err, err_end)) = (io::pipe()?, io::pipe()?);
        ioctl_fionbio(&out, true)?;
        ioctl_fionbio(&err, true)?;
        Ok(Self { out: Some(out), err: Some(err), ends: Some((out_end, err_end)) })
    }

    /// Where a process complains that does not even start.
    pub(super) fn complaints(&self) -> io::Result<PipeWriter> {
        match &self.ends {
            Some((_, err)) => err.try_clone(),
            None => Err(ErrorKind::BrokenPipe.into()),
        }
    }
}

/// A question.
pub(super) struct Question<'a> {
    /// What is said first, if the worker is new.
    pub(super) before: &'a [u8],
    /// The request.
    pub(super) request: &'a [u8],
    /// So much of the answer is kept.
    pub(super) most: usize,
    /// When there must be an answer.
    pub(super) deadline: Instant,
    /// Says that it is to end before that, if somebody can say so.
    pub(super) stop: Option<&'a AtomicBool>,
}

/// Asks, and listens until there is an answer, nobody is left to give one, or the time is up.
pub(super) fn exchange(
    link: &UnixStream,
    question: &Question<'_>,
    prints: Prints,
    peer: &mut dyn Peer,
) -> Heard {
    let mut talk = Talk {
        link,
        before: question.before,
        request: question.request,
        incoming: Incoming::new(!question.before.is_empty(), question.most),
        prints,
        printed: Tail::default(),
        all_printed: Head::of_at_most(0),
        complained: Tail::default(),
        chunk: vec![0; CHUNK],
    };
    let came = talk.until_it_comes((question.deadline, question.stop), peer);
    let Talk { prints, mut printed, mut all_printed, mut complained, mut chunk, .. } = talk;
    if let Some(mut out) = prints.out {
        read_rest(&mut out, &mut chunk, |bytes| {
            printed.take(bytes);
            all_printed.take(bytes);
        });
    }
    if let Some(mut err) = prints.err {
        read_rest(&mut err, &mut chunk, |bytes| complained.take(bytes));
    }
    Heard { came, printed, all_printed, complained }
}

/// Reads from a pipe. One that is closed would ring for ever, so it is dropped.
fn read_print(pipe: &mut Option<PipeReader>, chunk: &mut [u8], into: impl FnMut(&[u8])) {
    if pipe.as_mut().is_some_and(|open| read_once(open, chunk, into) == Stream::Ended) {
        *pipe = None;
    }
}

struct Talk<'a> {
    link: &'a UnixStream,
    before: &'a [u8],
    request: &'a [u8],
    incoming: Incoming,
    prints: Prints,
    printed: Tail,
    all_printed: Head,
    complained: Tail,
    chunk: Vec<u8>,
}

impl Talk<'_> {
    fn until_it_comes(
        &mut self,
        (deadline, stop): (Instant, Option<&AtomicBool>),
        peer: &mut dyn Peer,
    ) -> Came {
        if self.link.set_nonblocking(true).is_err() {
            return Came::Lost { greeted: false };
        }
        loop {
            // Before listening: whoever is gone by now has said its last words.
            let gone = peer.is_gone();
            self.speak();
            let heard = self.listen();
            if self.incoming.is_whole() {
                return Came::Answer(self.incoming.take_answer());
            }
            if heard == Stream::Ended || (gone && heard == Stream::Empty) {
                return Came::Lost { greeted: self.incoming.greeted };
            }
            let now = Instant::now();
            if now >= deadline || is_asked(stop) {
                return Came::Late;
            }
            let mut next = peer.tick(now).map_or(deadline, |next| next.min(deadline));
            if stop.is_some() {
                next = next.min(now + LOOK);
            }
            if !gone {
                self.nap(peer.bell(), next.saturating_duration_since(now));
            }
        }
    }

    /// Hears as much as goes at once; what became of the link.
    fn listen(&mut self) -> Stream {
        let Self { link, incoming, prints, printed, all_printed, complained, chunk, .. } = self;
        let heard = read_once(link, chunk, |bytes| incoming.take(bytes));
        read_print(&mut prints.out, chunk, |bytes| {
            printed.take(bytes);
            all_printed.take(bytes);
        });
        read_print(&mut prints.err, chunk, |bytes| complained.take(bytes));
        heard
    }

    /// Says as much as goes at once. The ends of the pipes go with the first byte of the request.
    fn speak(&mut self) {
        while !self.before.is_empty() {
            match (&mut self.link).write(self.before) {
                Ok(written) => self.before = &self.before[written..],
                Err(_) => return,
            }
        }
        if let Some((out, err)) = &self.prints.ends {
            let fds = [out.as_fd(), err.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
            let mut along = SendAncillaryBuffer::new(&mut space);
            along.push(SendAncillaryMessage::ScmRights(&fds));
            match sendmsg(self.link, &[IoSlice::new(self.request)], &mut along, SendFlags::NOSIGNAL) {
                Ok(written) => self.request = &self.request[written..],
                Err(_) => return,
            }
            self.prints.ends = None;
        }
        while !self.request.is_empty() {
            match (&mut self.link).write(self.request) {
                Ok(written) => self.request = &self.request[written..],
                // Whether nobody is left to listen, reading tells.
                Err(_) => return,
            }
        }
    }

    fn nap(&self, bell: Option<BorrowedFd<'_>>, longest: Duration) {
        let speaks = !self.before.is_empty() || !self.request.is_empty();
        let direction = if speaks { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut fds = vec![PollFd::new(self.link, direction)];
        fds.extend(self.prints.out.as_ref().map(|out| PollFd::new(out, PollFlags::IN)));
        fds.extend(self.prints.err.as_ref().map(|err| PollFd::new(err, PollFlags::IN)));
        let longest = match bell {
            Some(bell) => {
                fds.push(PollFd::from_borrowed_fd(bell, PollFlags::IN));
                longest.min(LONGEST_NAP)
            }
            None => longest.min(TICK),
        };
        match poll(&mut fds, Timespec::try_from(longest).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => std::thread::sleep(TICK),
        }
    }
}

/// An answer, as far as it has come.
struct Incoming {
    greeted: bool,
    head: Vec<u8>,
    text: Head,
    came: usize,
}

impl Incoming {
    fn new(is_new: bool, most: usize) -> Self {
        Self {
            greeted: !is_new,
            head: Vec::with_capacity(ANSWER_HEAD),
            text: Head::of_at_most(most),
            came: 0,
        }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        if !self.greeted && bytes.first() == Some(&GREETING) {
            self.greeted = true;
            bytes = &bytes[1..];
        }
        let (head, text) = bytes.split_at(bytes.len().min(ANSWER_HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.text.take(text);
        self.came += text.len();
    }

    fn number(&self, at: usize) -> usize {
        let bytes = self.head.get(at..at + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        bytes.map_or(0, |bytes| u32::from_be_bytes(bytes) as usize)
    }

    fn is_whole(&self) -> bool {
        self.head.len() == ANSWER_HEAD && self.came >= self.number(10)
    }

    fn take_answer(&mut self) -> Answer {
        Answer {
            kind: self.head[0],
            stays: self.head[1] == b'.',
            number: i32::try_from(self.number(2)).unwrap_or(1),
            ended: self.number(6),
            text: std::mem::replace(&mut self.text, Head::of_at_most(0)),
        }
    }
}
