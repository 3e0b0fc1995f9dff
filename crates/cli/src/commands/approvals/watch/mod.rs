//! `tenter approvals watch`: every question of every agent, one after another, as long as this runs.

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
use crate::commands::approvals::watch::current_question::OnShow;
use crate::commands::approvals::watch::endings::{Ended as EndedQuestion, Endings};
use crate::commands::approvals::watch::screen::{Prompt, Screen};
use crate::error::{CliError, CommandResult};
use crate::places::state;
use crate::printer::Printer;
use crate::terminal::keys::Keys;
use crate::terminal::line::Typed;

/// How long is waited for a key before the questions are looked at again.
const TICK: Duration = Duration::from_millis(200);
/// How often a user who has died is looked for.
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
    /// Whether it was not stopped, and a user sees what it shows.
    fn goes_on(&self, printer: &Printer) -> bool {
        !self.stop.load(Ordering::Relaxed) && !printer.is_over() && is_stdout_read()
    }

    /// Everything that waits, oldest first, and what does not any more. Now and then, those who died are looked for.
    fn look(
        &self,
        rounds: &mut Option<Instant>,
    ) -> Result<(Vec<ApprovalRequest>, Vec<EndedQuestion>), CliError> {
        if rounds.is_none_or(|last| last.elapsed() >= ROUNDS) {
            withdraw_orphans(&self.register)?;
            *rounds = Some(Instant::now());
        }
        let open: Vec<ApprovalRequest> =
            open_questions(&self.register)?.into_iter().map(|open| open.request).collect();
        let ended = self.endings.borrow_mut().among(&open);
        Ok((open, ended))
    }

    fn show(&self, printer: &Printer) -> CommandResult {
        let mut keys = Keys::from_stdin();
        let mut screen = Screen::new(printer, keys.single());
        let mut on_show = OnShow::default();
        let mut later: BTreeSet<String> = BTreeSet::new();
        let mut rounds = None;
        screen.greet();
        while self.goes_on(printer) {
            let (open, ended) = self.look(&mut rounds)?;
            for question in &ended {
                screen.over(question);
            }
            later.retain(|id| open.iter().any(|request| request.id == *id));
            let next = open.iter().find(|request| !later.contains(&request.id)).or(open.first());
            let id = next.map(|request| request.id.as_str());
            let is_new = on_show.is_new(id);
            if (is_new || on_show.has_just_settled(Instant::now()))
                && let Some(dropped) = keys.forget()
            {
                screen.dropped(&dropped);
            }
            let heeds_keys = on_show.heeds_keys() && !is_new;
            let pending = keys.pending();
            screen.turn_to(next, &open, if heeds_keys { Prompt::Typed(&pending) } else { Prompt::NotYet });
            if is_new {
                on_show.appeared(id, Instant::now());
            }
            match (keys.next(on_show.patience(TICK, Instant::now())), next) {
                (Typed::Stop, _) => break,
                (Typed::Answer(typed), Some(_)) if !heeds_keys => screen.dropped(&typed),
                (_, None) | (Typed::Nothing, _) => {}
                (Typed::Later, Some(_)) if !heeds_keys => {}
                (Typed::Later, Some(request)) => {
                    later.insert(request.id.clone());
                    screen.put_aside();
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
