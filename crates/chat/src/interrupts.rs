//! Ctrl-C while the agent works: the turn stops and the session goes on. Who presses it again, because something does
//! not stop, leaves at once; all that was said is kept. Anyone who wants the whole program to end (`kill`, a terminal that
//! is closed) is heard in the same way, and the program ends when the turn has.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use tenter_models::client::StopFlag;

use crate::error::code;

/// No one means to leave who presses a key twice in haste.
const HASTE: Duration = Duration::from_secs(1);

/// What is said by anyone who leaves in the middle.
type LastWords = Box<dyn Fn() + Send>;

#[derive(Clone)]
pub(crate) struct Interrupts {
    turn: Arc<Mutex<Turn>>,
    /// The same for hooks, which live longer than a turn.
    hooks: Arc<AtomicBool>,
}

struct Turn {
    doing: Doing,
    stop: StopFlag,
    asked: Option<Instant>,
    over: bool,
    last_words: LastWords,
    /// The terminal as it was: no one finds it without an echo who is left in the middle of a line.
    terminal: Option<Termios>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Preparing,
    Working,
    Listening,
}

impl Interrupts {
    /// From now on Ctrl-C ends turns and not the program.
    pub(crate) fn hear(last_words: impl Fn() + Send + 'static) -> io::Result<Self> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        let turn = Turn {
            doing: Doing::Preparing,
            stop: StopFlag::new(),
            asked: None,
            over: false,
            last_words: Box::new(last_words),
            terminal: tcgetattr(io::stdin()).ok(),
        };
        let interrupts = Self { turn: Arc::new(Mutex::new(turn)), hooks: Arc::default() };
        let heard = interrupts.clone();
        thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            for signal in signals.forever() {
                heard.press(signal);
            }
        })?;
        Ok(interrupts)
    }

    pub(crate) fn begin(&self) -> StopFlag {
        let mut turn = self.turn();
        self.hooks.store(false, Ordering::SeqCst);
        turn.doing = Doing::Working;
        turn.stop = StopFlag::new();
        turn.asked = None;
        turn.stop.clone()
    }

    pub(crate) fn rest(&self) {
        self.turn().doing = Doing::Listening;
    }

    pub(crate) fn of_hooks(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.hooks)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.turn().stop.is_set()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.turn().over
    }

    /// Another session is worked on, of which something else is to be said.
    pub(crate) fn last_words(&self, last_words: impl Fn() + Send + 'static) {
        self.turn().last_words = Box::new(last_words);
    }

    fn press(&self, signal: i32) {
        let mut turn = self.turn();
        turn.over |= signal != SIGINT;
        turn.stop.set();
        self.hooks.store(true, Ordering::SeqCst);
        match (turn.doing, turn.asked) {
            // Ctrl-C is a key while a user types; what comes here was pressed a moment before.
            (Doing::Listening, _) if signal == SIGINT => {}
            (Doing::Working, Some(first)) if first.elapsed() < HASTE => {}
            (Doing::Working, None) => turn.asked = Some(Instant::now()),
            (Doing::Preparing | Doing::Listening | Doing::Working, _) => turn.leave(),
        }
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    fn leave(&self) -> ! {
        if let Some(terminal) = &self.terminal {
            // Where that cannot be, the terminal is gone.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, terminal);
        }
        (self.last_words)();
        std::process::exit(i32::from(code::UNANSWERED));
    }
}
