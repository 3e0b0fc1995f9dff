//! A progress line on the terminal, removed at the end. Short waits show none.

use std::fmt;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tenter_contract::ports::ProgressObserver;
use tenter_contract::{Event, HookId};

use crate::listing::{counted, visible};
use crate::printer::{is_lively, write_to_terminal};

/// Waits shorter than this are not shown.
const UNNOTICED: Duration = Duration::from_millis(300);
/// Number of running hooks to name, so that the line fits.
const MOST_NAMED: usize = 3;

/// Progress on standard error; none unless that is a terminal that can move its cursor.
pub fn on_terminal() -> Option<Box<dyn ProgressObserver>> {
    is_lively(&io::stderr()).then(|| Box::<Terminal>::default() as Box<dyn ProgressObserver>)
}

/// Runs work and shows what is done, on a terminal and if it takes longer than a moment.
pub fn while_waiting<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !is_lively(&io::stderr()) {
        return work();
    }
    thread::scope(|scope| {
        // Dropped when the work is done, also if that panics.
        let (over, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waiting.recv_timeout(UNNOTICED) == Err(RecvTimeoutError::Timeout) {
                write_to_terminal(&format!("\r{what}\x1b[K"));
                let _ = waiting.recv();
                write_to_terminal("\r\x1b[K");
            }
        });
        let done = work();
        drop(over);
        done
    })
}

/// Progress of a command, which emits one event.
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
    hooks: HookProgress,
    state: State,
}

/// How many hooks have finished, and which run.
#[derive(Default)]
pub struct HookProgress {
    finished: usize,
    of: usize,
    running: Vec<String>,
}

impl HookProgress {
    /// Progress before the first of these hooks has started.
    pub fn new(hooks: usize) -> Self {
        Self { finished: 0, of: hooks, running: Vec::new() }
    }

    /// A hook has started.
    pub fn started(&mut self, hook: &HookId) {
        self.running.push(hook.name.clone());
    }

    /// A hook has finished.
    pub fn finished(&mut self, hook: &HookId) {
        self.finished += 1;
        if let Some(at) = self.running.iter().position(|name| *name == hook.name) {
            self.running.remove(at);
        }
    }
}

/// `1 of 3 hooks finished; waiting for lint, types`
impl fmt::Display for HookProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.of.max(self.finished);
        write!(f, "{} of {} finished", self.finished, counted(of as u64, "hook"))?;
        let named: Vec<String> = self.running.iter().take(MOST_NAMED).map(|name| visible(name)).collect();
        if !named.is_empty() {
            write!(f, "; waiting for {}", named.join(", "))?;
        }
        match self.running.len().saturating_sub(MOST_NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Hidden,
    Shown,
    Over,
}

impl Shared {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the line, unless the work has ended.
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
    /// Redraws the line.
    fn draw(&self) {
        match self.state {
            State::Hidden | State::Over => {}
            State::Shown => {
                write_to_terminal(&format!("\r{}\x1b[K", self.hooks));
            }
        }
    }
}

impl ProgressObserver for Terminal {
    fn begins(&self, _: &Event, hooks: usize) {
        *self.shared.progress() = Progress { hooks: HookProgress::new(hooks), state: State::Hidden };
        if hooks > 0 {
            let shared = Arc::clone(&self.shared);
            thread::spawn(move || shared.show_later());
        }
    }

    fn started(&self, _: &Event, hook: &HookId) {
        let mut progress = self.shared.progress();
        progress.hooks.started(hook);
        progress.draw();
    }

    fn finished(&self, _: &Event, hook: &HookId) {
        let mut progress = self.shared.progress();
        progress.hooks.finished(hook);
        progress.draw();
    }

    fn ends(&self, _: &Event) {
        let mut progress = self.shared.progress();
        if progress.state == State::Shown {
            write_to_terminal("\r\x1b[K");
        }
        progress.state = State::Over;
        self.shared.over.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use tenter_contract::Layer;

    use super::*;

    #[test]
    fn progress_names_finished_and_running_hooks() {
        let hook = |name: &str| HookId::new(Layer::User, name);
        let mut hooks = HookProgress::new(1);
        assert_eq!(hooks.to_string(), "0 of 1 hook finished");
        hooks.started(&hook("lint"));
        assert_eq!(hooks.to_string(), "0 of 1 hook finished; waiting for lint");
        hooks.finished(&hook("lint"));
        assert_eq!(hooks.to_string(), "1 of 1 hook finished");
        let mut several = HookProgress::new(5);
        for name in ["a", "b", "c", "d", "e"] {
            several.started(&hook(name));
        }
        several.finished(&hook("b"));
        assert_eq!(several.to_string(), "1 of 5 hooks finished; waiting for a, c, d and 1 more");
    }
}
