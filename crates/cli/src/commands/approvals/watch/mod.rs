//! `tenter approvals watch`: shows every question of every agent and answers them.

mod endings;
mod screen;
mod stream;
pub(crate) mod current_question;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tenter_contract::ApprovalRequest;
use tenter_host::approvers::is_stdout_read;
use tenter_store::ApprovalFolder;

use crate::approvals::{open_questions, register, withdraw_orphans};
use crate::arguments::JsonArgument;
use crate::commands::approvals::answer;
use crate::commands::approvals::watch::current_question::CurrentQuestion;
use crate::commands::approvals::watch::endings::{Ended as EndedQuestion, Endings};
use crate::commands::approvals::watch::screen::{Prompt, Screen};
use crate::error::{CliError, CommandResult};
use crate::places::state;
use crate::printer::Printer;
use crate::terminal::keys::Keys;
use crate::terminal::line::Typed;

/// How long to wait for a key before the next poll.
const TICK: Duration = Duration::from_millis(200);
/// How often questions of ended processes are withdrawn.
const ROUNDS: Duration = Duration::from_secs(1);

pub(crate) fn run(arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let register = register()?;
    let watcher = register.watch();
    let unread = |cause| CliError::not_written("that you are watching", cause);
    let _watching = watcher.map_err(unread)?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(unread)?;
    }
    let endings = RefCell::new(Endings::new(&state()?));
    let watch = Watch { register, endings, stop };
    if arguments.json { watch.stream(printer) } else { watch.show(printer) }
}

struct Watch {
    register: ApprovalFolder,
    endings: RefCell<Endings>,
    stop: Arc<AtomicBool>,
}

impl Watch {
    /// Whether it was not stopped, and its output is read.
    fn is_running(&self, printer: &Printer) -> bool {
        !self.stop.load(Ordering::Relaxed) && !printer.is_over() && is_stdout_read()
    }

    /// The open questions, oldest first, and those that have ended since the last poll.
    fn poll(
        &self,
        rounds: &mut Option<Instant>,
    ) -> Result<(Vec<ApprovalRequest>, Vec<EndedQuestion>), CliError> {
        if rounds.is_none_or(|last| last.elapsed() >= ROUNDS) {
            withdraw_orphans(&self.register)?;
            *rounds = Some(Instant::now());
        }
        let open: Vec<ApprovalRequest> =
            open_questions(&self.register)?.into_iter().map(|open| open.request).collect();
        let ended = self.endings.borrow_mut().update(&open);
        Ok((open, ended))
    }

    fn show(&self, printer: &Printer) -> CommandResult {
        let mut keys = Keys::from_stdin();
        let mut screen = Screen::new(printer, keys.single());
        let mut current = CurrentQuestion::default();
        let mut later: BTreeSet<String> = BTreeSet::new();
        let mut rounds = None;
        screen.print_welcome();
        while self.is_running(printer) {
            let (open, ended) = self.poll(&mut rounds)?;
            for question in &ended {
                screen.ended(question);
            }
            later.retain(|id| open.iter().any(|request| request.id == *id));
            let next = open.iter().find(|request| !later.contains(&request.id)).or(open.first());
            let id = next.map(|request| request.id.as_str());
            let is_new = current.is_new(id);
            if (is_new || current.has_just_settled(Instant::now()))
                && let Some(dropped) = keys.forget()
            {
                screen.dropped(&dropped);
            }
            let accepts_keys = current.accepts_keys() && !is_new;
            let pending = keys.pending();
            screen.update(next, &open, if accepts_keys { Prompt::Typed(&pending) } else { Prompt::NotYet });
            if is_new {
                current.appeared(id, Instant::now());
            }
            match (keys.next(current.patience(TICK, Instant::now())), next) {
                (Typed::Stop, _) => break,
                (Typed::Answer(typed), Some(_)) if !accepts_keys => screen.dropped(&typed),
                (_, None) | (Typed::Nothing, _) => {}
                (Typed::Later, Some(_)) if !accepts_keys => {}
                (Typed::Later, Some(request)) => {
                    later.insert(request.id.clone());
                    screen.postponed();
                }
                (Typed::Answer(typed), Some(request)) if request.question.choice(&typed).is_some() => {
                    match answer::answered(&self.register, &request.id, &typed) {
                        Ok(chosen) => screen.answered(&request.id, &answer::in_words(&chosen)),
                        Err(error) => screen.refused(&error.shown()),
                    }
                }
                (Typed::Answer(typed), Some(_)) => screen.not_understood(&typed),
            }
        }
        screen.leave();
        Ok(0)
    }
}
