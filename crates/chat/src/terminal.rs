//! Turns off the terminal's echo while the agent works, so that input does not mix with its words.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};

/// Standard input without echo; restored on drop.
pub(crate) struct Silenced {
    before: Option<Termios>,
}

impl Silenced {
    /// Turns off the echo. Ctrl-C still works.
    pub(crate) fn terminal() -> Self {
        let stdin = io::stdin();
        let before = isatty(&stdin).then(|| tcgetattr(&stdin).ok()).flatten();
        if let Some(before) = &before {
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO);
            // Where that cannot be, it is shown.
            let _ = tcsetattr(&stdin, OptionalActions::Now, &silent);
        }
        Self { before }
    }
}

impl Drop for Silenced {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// Whether the terminal is still open.
pub(crate) fn is_there() -> bool {
    tcgetattr(io::stdin()).is_ok()
}
