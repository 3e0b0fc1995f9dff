//! Reads single keys from a terminal, lines from any other input.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};

use crate::terminal::line::{InputLine, Taken, Typed};

/// Limit of reads that are dropped at once. Endless input must not keep questions off the screen.
const MOST_DROPPED: usize = 64;

/// Standard input. A terminal's settings are restored on drop.
pub struct Keys {
    before: Option<Termios>,
    open: bool,
    /// Whether the dropped input contained the key for leaving.
    stop: bool,
    arrived: VecDeque<u8>,
    line: InputLine,
}

impl Keys {
    /// Reads standard input, key by key if it is a terminal.
    pub fn from_stdin() -> Self {
        let stdin = io::stdin();
        let before = isatty(&stdin).then(|| tcgetattr(&stdin).ok()).flatten();
        if let Some(before) = &before {
            let mut keys = before.clone();
            keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            // Where that cannot be, a key counts with the Enter behind it.
            let _ = tcsetattr(&stdin, OptionalActions::Now, &keys);
        }
        let taken = if before.is_some() { Taken::Singly } else { Taken::InLines };
        Self { before, open: true, stop: false, arrived: VecDeque::new(), line: InputLine::new(taken) }
    }

    /// Whether keys arrive one by one, not line by line.
    pub fn single(&self) -> bool {
        self.before.is_some()
    }

    /// The text on the current line.
    pub fn pending(&self) -> String {
        self.line.text()
    }

    /// Waits this long for input.
    pub fn next(&mut self, patience: Duration) -> Typed {
        let typed = self.typed();
        if typed != Typed::Nothing {
            return typed;
        }
        // Questions are not to wait for a user who cannot answer.
        if self.stop || !self.open {
            return Typed::Stop;
        }
        self.wait(patience);
        self.typed()
    }

    /// Drops the input up to now and returns it. The key for leaving is kept.
    pub fn forget(&mut self) -> Option<String> {
        for _ in 0..MOST_DROPPED {
            if !self.open || !self.wait(Duration::ZERO) {
                break;
            }
        }
        let mut dropped = self.pending();
        self.line.clear();
        loop {
            match self.typed() {
                Typed::Nothing => break,
                Typed::Stop => self.stop = true,
                Typed::Later => {}
                Typed::Answer(text) => dropped.push_str(&text),
            }
        }
        dropped.push_str(&self.pending());
        self.line.clear();
        Some(dropped).filter(|dropped| !dropped.is_empty())
    }

    fn typed(&mut self) -> Typed {
        while let Some(byte) = self.arrived.pop_front() {
            let typed = self.line.accept(byte);
            if typed != Typed::Nothing {
                return typed;
            }
        }
        Typed::Nothing
    }

    /// Whether input arrived, or ended, within this time.
    fn wait(&mut self, patience: Duration) -> bool {
        let mut piece = [0; 4096];
        match self.read(&mut piece, patience) {
            Ok(None) => return false,
            Ok(Some(0)) | Err(_) => {
                self.open = false;
                // What was begun is whole now.
                let begun = !self.arrived.is_empty() || !self.pending().is_empty();
                if begun && !self.single() {
                    self.arrived.push_back(b'\n');
                }
            }
            Ok(Some(count)) => self.arrived.extend(&piece[..count]),
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

    /// Reads a whole line.
    pub fn next_line(&mut self, patience: Duration) -> Option<String> {
        self.whole_line().or_else(|| {
            self.wait(patience);
            self.whole_line()
        })
    }

    fn whole_line(&mut self) -> Option<String> {
        let end = self.end_of_line()?;
        let line: Vec<u8> = self.arrived.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    }

    fn end_of_line(&self) -> Option<usize> {
        self.arrived.iter().position(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Whether the input has ended and all lines were read.
    pub fn is_over(&self) -> bool {
        !self.open && self.end_of_line().is_none()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
