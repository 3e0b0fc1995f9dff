//! What somebody waits for, and how far hooks have come, on a line that is gone when it is over. Who waits for a moment
//! only sees none.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tenter_contract::ports::Onlooker;
use tenter_contract::{Event, HookId};

use crate::printer::write_error;

/// How long somebody waits without wondering what for.
const UNNOTICED: Duration = Duration::from_millis(300);

/// Somebody who looks at our standard error; nobody if that is no terminal.
pub(crate) fn on_terminal() -> Option<Box<dyn Onlooker>> {
    io::stderr().is_terminal().then(|| Box::<Terminal>::default() as Box<dyn Onlooker>)
}

/// Does something, and shows what, if there is a terminal and it takes more than a moment.
pub(crate) fn while_waiting<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        // Dropped when the work is done, also if that panics.
        let (over, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waiting.recv_timeout(UNNOTICED) == Err(RecvTimeoutError::Timeout) {
                write_error(&format!("\r{what}\x1b[K"));
                let _ = waiting.recv();
                write_error("\r\x1b[K");
            }
        });
        let done = work();
        drop(over);
        done
    })
}

/// A command has one event, so all that is told is about that one.
#[derive(Default)]
struct Terminal {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    over: Condvar,
}

#[derive(Default)]
struct Progress {
    finished: usize,
    of: usize,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Nothing is shown yet.
    #[default]
    Hidden,
    Shown,
    Over,
}

impl Shared {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the line, unless all is over by then.
    fn show_later(&self) {
        let hidden = |progress: &mut Progress| progress.state == State::Hidden;
        let waited = self.over.wait_timeout_while(self.progress(), UNNOTICED, hidden);
        let (mut progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if progress.state == State::Hidden {
            progress.state = State::Shown;
            progress.draw();
        }
    }
}

impl Progress {
    /// Back to the start of the line, the new text, and away with what is behind it.
    fn draw(&self) {
        match self.state {
            State::Hidden | State::Over => {}
            State::Shown => {
                let (finished, of) = (self.finished, self.of.max(self.finished));
                let plural = if of == 1 { "" } else { "s" };
                write_error(&format!("\r{finished} of {of} hook{plural} finished\x1b[K"));
            }
        }
    }
}

impl Onlooker for Terminal {
    fn begins(&self, _: &Event, hooks: usize) {
        *self.shared.progress() = Progress { finished: 0, of: hooks, state: State::Hidden };
        if hooks > 0 {
            let shared = Arc::clone(&self.shared);
            thread::spawn(move || shared.show_later());
        }
    }

    fn finished(&self, _: &Event, _: &HookId) {
        let mut progress = self.shared.progress();
        progress.finished += 1;
        progress.draw();
    }

    fn ends(&self, _: &Event) {
        let mut progress = self.shared.progress();
        if progress.state == State::Shown {
            write_error("\r\x1b[K");
        }
        progress.state = State::Over;
        self.shared.over.notify_all();
    }
}
