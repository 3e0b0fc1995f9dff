//! How far hooks have come that run together, on a line that is gone when they have all finished.

use std::io::{self, IsTerminal};

use tenter_contract::ports::Onlooker;

use crate::printer::write_error;

/// Somebody who looks at our standard error; nobody if that is no terminal.
pub(crate) fn on_terminal() -> Option<Box<dyn Onlooker>> {
    io::stderr().is_terminal().then(|| Box::new(Terminal) as Box<dyn Onlooker>)
}

struct Terminal;

impl Onlooker for Terminal {
    fn finished(&self, finished: usize, of: usize) {
        let line = if finished < of { format!("{finished} of {of} hooks finished") } else { String::new() };
        // Back to the start of the line, the new text, and away with what is behind it.
        write_error(&format!("\r{line}\x1b[K"));
    }
}
