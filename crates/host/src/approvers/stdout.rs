//! Detects an agent that no longer waits for the answer.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether a process still reads standard output, where the answer goes. If the agent has ended, no user needs to be
/// asked.
pub fn is_stdout_read() -> bool {
    let stdout = io::stdout();
    let mut ends = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut ends, Some(&at_once)) {
        Ok(_) => !ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
        Err(_) => true,
    }
}
