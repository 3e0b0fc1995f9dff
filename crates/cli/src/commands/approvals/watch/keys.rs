//! What is typed: single keys on a terminal, lines from anywhere else.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Nothing yet.
    Nothing,
    /// This answer.
    Answer(String),
    /// The next question first.
    Later,
    /// To leave.
    Stop,
}

/// Standard input. A terminal is given back as it was.
pub(super) struct Keys {
    before: Option<Termios>,
    open: bool,
    typed: Vec<u8>,
}

impl Keys {
    /// Takes each key of a terminal as it is pressed.
    pub(super) fn of_stdin() -> Self {
        let stdin = io::stdin();
        let before = isatty(&stdin).then(|| tcgetattr(&stdin).ok()).flatten();
        if let Some(before) = &before {
            let mut keys = before.clone();
            keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            // Where that cannot be, a key counts with the Enter behind it.
            let _ = tcsetattr(&stdin, OptionalActions::Now, &keys);
        }
        Self { before, open: true, typed: Vec::new() }
    }

    /// Whether single keys count.
    pub(super) fn single(&self) -> bool {
        self.before.is_some()
    }

    /// What was typed so far.
    pub(super) fn pending(&self) -> String {
        String::from_utf8_lossy(&self.typed).into_owned()
    }

    /// Waits so long for something to be typed.
    pub(super) fn next(&mut self, patience: Duration) -> Typed {
        if let Some(line) = self.line() {
            return meaning(&line);
        }
        // Questions are not to wait for somebody who cannot answer.
        if !self.open {
            return Typed::Stop;
        }
        if !self.wait(patience) {
            return Typed::Nothing;
        }
        if self.single() { self.key() } else { self.line().map_or(Typed::Nothing, |line| meaning(&line)) }
    }

    /// Whether something new was typed within so long, or the input has ended.
    fn wait(&mut self, patience: Duration) -> bool {
        let mut piece = [0; 4096];
        match self.read(&mut piece, patience) {
            Ok(None) => return false,
            Ok(Some(0)) | Err(_) => {
                self.open = false;
                // What was begun is whole now.
                if !self.typed.is_empty() && !self.single() {
                    self.typed.push(b'\n');
                }
            }
            Ok(Some(count)) => self.typed.extend_from_slice(&piece[..count]),
        }
        true
    }

    fn read(&self, piece: &mut [u8], patience: Duration) -> io::Result<Option<usize>> {
        let stdin = io::stdin();
        let mut ends = [PollFd::new(&stdin, PollFlags::IN)];
        let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
        match poll(&mut ends, Some(&patience)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Some(rustix::io::read(&stdin, piece)?))
    }

    /// What the last keys mean. A digit answers at once; words are ended with Enter.
    fn key(&mut self) -> Typed {
        match self.typed.as_slice() {
            [b'\t'] => {
                self.typed.clear();
                Typed::Later
            }
            [digit @ b'1'..=b'9'] => {
                let digit = char::from(*digit).to_string();
                self.typed.clear();
                Typed::Answer(digit)
            }
            [.., 0x7f | 0x08] => {
                self.typed.pop();
                let text = String::from_utf8_lossy(&self.typed).into_owned();
                let kept = text.char_indices().next_back().map_or(0, |(at, _)| at);
                self.typed.truncate(kept);
                Typed::Nothing
            }
            // The end of the terminal's input.
            [0x04] => Typed::Stop,
            _ => self.line().map_or(Typed::Nothing, |line| meaning(&line)),
        }
    }

    fn line(&mut self) -> Option<String> {
        let end = self.typed.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        let line: Vec<u8> = self.typed.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    }

    /// A whole line, for those who do not care what it means.
    pub(super) fn next_line(&mut self, patience: Duration) -> Option<String> {
        if let Some(line) = self.line() {
            return Some(line);
        }
        self.wait(patience);
        self.line()
    }

    /// Whether nothing can be typed any more, and all that was is taken.
    pub(super) fn is_over(&self) -> bool {
        !self.open && self.typed.is_empty()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

fn meaning(line: &str) -> Typed {
    match line {
        "" => Typed::Nothing,
        "q" => Typed::Stop,
        "s" => Typed::Later,
        answer => Typed::Answer(answer.to_owned()),
    }
}
