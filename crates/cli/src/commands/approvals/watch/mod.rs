//! `tenter approvals watch`: every question of every agent, one after another, as long as this runs.

mod keys;
mod screen;
mod stream;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tenter_contract::Inquiry;
use tenter_store::ApprovalFolder;

use self::keys::{Keys, Typed};
use self::screen::Screen;
use super::super::Ended;
use super::{answer, open_questions, register, withdraw_orphans};
use crate::arguments::ApprovalsListArguments;
use crate::error::CliError;
use crate::printer::Printer;

/// How long is waited for a key before the questions are looked at again.
const TICK: Duration = Duration::from_millis(200);
/// How often somebody who has died is looked for.
const ROUNDS: Duration = Duration::from_secs(1);

/// Watches until it is stopped.
pub(super) fn run(arguments: &ApprovalsListArguments, printer: &Printer) -> Ended {
    let register = register()?;
    let watcher = register.watch();
    let unread = |cause| CliError::NotWritten { what: "that you are watching".to_owned(), cause };
    let _watching = watcher.map_err(unread)?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(unread)?;
    }
    let watch = Watch { register, stop };
    if arguments.json { watch.stream(printer) } else { watch.show(printer) }
}

/// Somebody who watches.
struct Watch {
    register: ApprovalFolder,
    stop: Arc<AtomicBool>,
}

impl Watch {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Everything that waits, oldest first. Now and then, those who died are looked for.
    fn open(&self, rounds: &mut Option<Instant>) -> Result<Vec<Inquiry>, CliError> {
        if rounds.is_none_or(|last| last.elapsed() >= ROUNDS) {
            withdraw_orphans(&self.register)?;
            *rounds = Some(Instant::now());
        }
        Ok(open_questions(&self.register)?.into_iter().map(|open| open.inquiry).collect())
    }

    /// For a person: one question at a time.
    fn show(&self, printer: &Printer) -> Ended {
        let mut keys = Keys::of_stdin();
        let mut screen = Screen::new(printer, keys.single());
        let mut later: BTreeSet<String> = BTreeSet::new();
        let mut rounds = None;
        screen.greet();
        while self.goes_on() {
            let open = self.open(&mut rounds)?;
            later.retain(|id| open.iter().any(|inquiry| inquiry.id == *id));
            let next = open.iter().find(|inquiry| !later.contains(&inquiry.id)).or(open.first());
            let waiting = open.len().saturating_sub(1);
            screen.turn_to(next, waiting, keys.pending());
            match (keys.next(TICK), next) {
                (Typed::Nothing, _) => {}
                (Typed::Stop, _) => break,
                (Typed::Later, Some(inquiry)) => {
                    later.insert(inquiry.id.clone());
                    screen.put_aside();
                }
                (Typed::Answer(typed), Some(inquiry)) if inquiry.question.choice(&typed).is_some() => {
                    screen.answered(match answer::answered(&self.register, &inquiry.id, &typed) {
                        Ok(choice) => answer::in_words(&inquiry.id, &choice),
                        Err(error) => error.to_string(),
                    });
                }
                (Typed::Answer(typed), Some(_)) => screen.not_understood(&typed),
                (Typed::Answer(_) | Typed::Later, None) => {}
            }
        }
        screen.leave();
        Ok(0)
    }
}
