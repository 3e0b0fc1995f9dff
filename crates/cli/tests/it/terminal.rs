//! A terminal of a test's own: a program runs on its one side, the test types on the other and reads what is shown.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// How long something may take on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// No line of these tests is longer.
pub(crate) const WIDE: u16 = 200;

/// A terminal, and everything that was written to it.
pub(crate) struct Terminal {
    end: std::fs::File,
    pub(crate) seen: String,
    /// Up to here things came one after another.
    read: usize,
}

impl Terminal {
    /// A new one, and the path by which programs are given it.
    pub(crate) fn open() -> (Self, String) {
        Self::of_columns(WIDE)
    }

    /// The same with so many columns.
    pub(crate) fn of_columns(columns: u16) -> (Self, String) {
        let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&end).unwrap();
        unlockpt(&end).unwrap();
        tcsetwinsize(&end, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let path = ptsname(&end, Vec::new()).unwrap().into_string().unwrap();
        (Self { end: std::fs::File::from(end), seen: String::new(), read: 0 }, path)
    }

    /// Reads until this stands there.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.seen.contains(text) {
            assert!(Instant::now() < until, "`{text}` never came: {}", self.seen);
            self.look();
        }
    }

    /// Reads until this stands there behind what came before.
    pub(crate) fn comes(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen[self.read..].find(text) {
                self.read += at + text.len();
                return;
            }
            assert!(Instant::now() < until, "`{text}` never came: {}", self.seen);
            self.look();
        }
    }

    /// Reads what is there, and waits a moment if nothing is.
    fn look(&mut self) {
        let mut ends = [PollFd::new(&self.end, PollFlags::IN)];
        let moment = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        if poll(&mut ends, Some(&moment)).is_ok_and(|ready| ready > 0) {
            let mut piece = [0; 4096];
            let count = self.end.read(&mut piece).unwrap_or(0);
            self.seen.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.end.write_all(keys.as_bytes()).unwrap();
    }
}

/// The side of a program.
pub(crate) fn side(path: &str) -> Stdio {
    Stdio::from(std::fs::File::options().read(true).write(true).open(path).unwrap())
}
