//! Ctrl-C while the agent works: the turn stops and the session goes on. Who presses it again, because something does
//! not stop, leaves at once; all that was said is kept.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use tenter_models::talk::Stop;

use super::error::code;
use crate::printer::write_error;

/// Nobody means to leave who presses a key twice in haste.
const HASTE: Duration = Duration::from_secs(1);

/// Hears Ctrl-C for whoever works.
#[derive(Clone, Default)]
pub(super) struct Interrupts {
    turn: Arc<Mutex<Turn>>,
    /// The same for hooks, which live longer than a turn.
    hooks: Arc<AtomicBool>,
}

#[derive(Default)]
struct Turn {
    stop: Stop,
    asked: Option<Instant>,
    /// What to type to go on, for somebody who leaves in the middle.
    way_back: String,
}

impl Interrupts {
    /// From now on Ctrl-C ends turns and not the program.
    pub(super) fn hear(way_back: String) -> io::Result<Self> {
        let interrupts = Self::default();
        interrupts.turn().way_back = way_back;
        let mut signals = Signals::new([SIGINT])?;
        let heard = interrupts.clone();
        thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            for _ in signals.forever() {
                heard.press();
            }
        })?;
        Ok(interrupts)
    }

    /// A turn begins: what asks it to stop.
    pub(super) fn begin(&self) -> Stop {
        let mut turn = self.turn();
        self.hooks.store(false, Ordering::SeqCst);
        turn.stop = Stop::new();
        turn.asked = None;
        turn.stop.clone()
    }

    /// What asks hooks to stop, in every turn.
    pub(super) fn of_hooks(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.hooks)
    }

    /// Whether the turn is to stop.
    pub(super) fn is_asked(&self) -> bool {
        self.turn().stop.is_asked()
    }

    /// Another session is worked on.
    pub(super) fn leads_back(&self, way_back: String) {
        self.turn().way_back = way_back;
    }

    fn press(&self) {
        let mut turn = self.turn();
        turn.stop.ask_to();
        self.hooks.store(true, Ordering::SeqCst);
        match turn.asked {
            None => turn.asked = Some(Instant::now()),
            Some(first) if first.elapsed() < HASTE => {}
            Some(_) => {
                write_error(&format!("\r\u{1b}[Kleft in the middle; {}\n", turn.way_back));
                std::process::exit(i32::from(code::STOPPED));
            }
        }
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
