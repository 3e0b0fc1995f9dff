//! A pseudo-terminal: a program runs on one side, the test types and reads on the other.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Time limit on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Wider than every line of these tests.
pub(crate) const WIDE: u16 = 200;

/// A terminal and its output.
pub(crate) struct Terminal {
    end: std::fs::File,
    pub(crate) seen: String,
    /// The end of the last match of `comes`.
    read: usize,
}

impl Terminal {
    /// Opens a terminal and returns the path of the program's side.
    pub(crate) fn open() -> (Self, String) {
        Self::of_columns(WIDE)
    }

    /// Opens a terminal of this width.
    pub(crate) fn of_columns(columns: u16) -> (Self, String) {
        let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&end).unwrap();
        unlockpt(&end).unwrap();
        tcsetwinsize(&end, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let path = ptsname(&end, Vec::new()).unwrap().into_string().unwrap();
        (Self { end: std::fs::File::from(end), seen: String::new(), read: 0 }, path)
    }

    /// Reads until the output contains the text.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.seen.contains(text) {
            assert!(Instant::now() < until, "`{text}` never came: {}", self.seen);
            self.read_available();
        }
    }

    /// Reads until the text follows the last match.
    pub(crate) fn comes(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen[self.read..].find(text) {
                self.read += at + text.len();
                return;
            }
            assert!(Instant::now() < until, "`{text}` never came: {}", self.seen);
            self.read_available();
        }
    }

    /// Reads available output, or waits briefly for it.
    fn read_available(&mut self) {
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
