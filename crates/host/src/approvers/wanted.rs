//! Whether anybody waits for the answer.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether somebody still holds the other end of standard output, where the answer goes. An agent that has been
/// ended does not, and a question on its behalf bothers a person for nothing.
pub fn somebody_reads_stdout() -> bool {
    let stdout = io::stdout();
    let mut ends = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut ends, Some(&at_once)) {
        Ok(_) => !ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
        Err(_) => true,
    }
}
