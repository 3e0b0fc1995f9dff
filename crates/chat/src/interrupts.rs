//! Handles Ctrl-C while the agent works: the turn stops and the session continues. A second Ctrl-C leaves at once, if
//! something does not stop; the conversation is saved. `kill` and a closed terminal stop the turn as well, and then
//! end the program.

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

/// A second Ctrl-C within this time does not leave.
const HASTE: Duration = Duration::from_secs(1);

/// Runs when the user leaves in the middle of a turn.
type OnLeave = Box<dyn Fn() + Send>;

#[derive(Clone)]
pub(crate) struct Interrupts {
    turn: Arc<Mutex<Turn>>,
    /// The stop flag of hooks, which outlives turns.
    hooks: Arc<AtomicBool>,
}

struct Turn {
    doing: Doing,
    stop: StopFlag,
    asked: Option<Instant>,
    over: bool,
    on_leave: OnLeave,
    /// The terminal's settings, to restore the echo before leaving.
    terminal: Option<Termios>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Preparing,
    Working,
    Listening,
}

impl Interrupts {
    /// Installs the signal handlers.
    pub(crate) fn install(on_leave: impl Fn() + Send + 'static) -> io::Result<Self> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        let turn = Turn {
            doing: Doing::Preparing,
            stop: StopFlag::new(),
            asked: None,
            over: false,
            on_leave: Box::new(on_leave),
            terminal: tcgetattr(io::stdin()).ok(),
        };
        let interrupts = Self { turn: Arc::new(Mutex::new(turn)), hooks: Arc::default() };
        let handler = interrupts.clone();
        thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            for signal in signals.forever() {
                handler.press(signal);
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

    pub(crate) fn hook_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.hooks)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.turn().stop.is_set()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.turn().over
    }

    /// Replaces the last words, for another session or model.
    pub(crate) fn on_leave(&self, on_leave: impl Fn() + Send + 'static) {
        self.turn().on_leave = Box::new(on_leave);
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
        (self.on_leave)();
        std::process::exit(i32::from(code::UNANSWERED));
    }
}
