//! The terminal while the agent works: what is typed is not shown in the middle of its words, and waits.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};

/// Standard input without an echo; given back as it was.
pub(crate) struct Silenced {
    before: Option<Termios>,
}

impl Silenced {
    /// Ctrl-C keeps its meaning.
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

/// Whether there is still a terminal to type on.
pub(crate) fn is_there() -> bool {
    tcgetattr(io::stdin()).is_ok()
}
