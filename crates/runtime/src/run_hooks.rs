//! Stop 3: hooks are run, alone or together, and every one of them is reported on.

use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tenter_contract::ports::{ClaimOutcome, Mark, ShelfError};
use tenter_contract::{
    Effect, Event, HookFailure, HookReport, HookSpec, Level, Message, Once, Said, SessionId,
};
use tenter_kernel::Invocation;

use crate::Runtime;
use crate::foresee;
use crate::switched_off::switched_off;

impl Runtime {
    /// Runs the hooks of one step and reports on each, with its number. The kernel puts the reports in the
    /// order of the files, so it does not matter who finishes first.
    #[inline(never)]
    pub(crate) fn run_hooks(&self, event: &Event, invocations: &[Invocation]) -> Vec<(usize, HookReport)> {
        match invocations {
            [only] => vec![(0, self.run_invocation(only, event))],
            several => thread::scope(|scope| {
                let run = |asked| scope.spawn(move || self.run_invocation(asked, event));
                let running: Vec<_> = several.iter().map(run).collect();
                let report =
                    |joined: thread::Result<HookReport>| joined.unwrap_or_else(|panic| panicked(&*panic));
                running.into_iter().map(|thread| report(thread.join())).enumerate().collect()
            }),
        }
    }

    /// A hook that waited for others is told what came of them.
    fn run_invocation(&self, asked: &Invocation, event: &Event) -> HookReport {
        let began = self.clock.now();
        if let Some(onlooker) = &self.onlooker {
            onlooker.started(event, &asked.hook.id);
        }
        let mut report = if asked.previous.is_empty() {
            self.run_hook(asked, event)
        } else {
            let event = Event { previous: asked.previous.clone(), ..event.clone() };
            self.run_hook(asked, &event)
        };
        report.transcript.began = Some(began);
        // What a fixed text says stands in the hook file; of the others only this tells whether they are still the same.
        report.transcript.definition = (!asked.hook.handler.is_fixed()).then(|| asked.hook.definition());
        if let Some(onlooker) = &self.onlooker {
            onlooker.finished(event, &asked.hook.id);
        }
        report
    }

    fn run_hook(&self, asked: &Invocation, event: &Event) -> HookReport {
        let hook = &*asked.hook;
        if let Some(skipped) = switched_off(&*self.sessions, hook, event) {
            return skipped;
        }
        match self.turn_to_run(hook, event) {
            Ok(true) => self.run_now(asked, event),
            Ok(false) => {
                let every = hook.every.map_or(1, NonZeroU32::get);
                HookReport::of(Said::Skipped {
                    why: format!("it runs at one of {every} events that concern it (every: {every})"),
                })
            }
            // Better too often than never, and told.
            Err(error) => {
                told(self.run_now(asked, event), format!("its events could not be counted (every): {error}"))
            }
        }
    }

    /// Counts the event for a hook that runs at some of them only. What counts is that it was concerned, so a
    /// run that fails counts as well.
    fn turn_to_run(&self, hook: &HookSpec, event: &Event) -> Result<bool, ShelfError> {
        let Some(every) = hook.every else { return Ok(true) };
        let number = self.sessions.tally(&event.session, &foresee::events_of(hook), Mark::One)?;
        Ok(foresee::has_its_turn(every, number))
    }

    fn run_now(&self, asked: &Invocation, event: &Event) -> HookReport {
        match asked.hook.once {
            Once::Unlimited => self.execute_or_recall(asked, event, None),
            // Events that name no session share one that never ends: once in it would be once and for all.
            Once::Session | Once::Turn if event.session == SessionId::unknown() => {
                self.execute_without_session(asked, event)
            }
            Once::Session | Once::Turn => self.execute_once(asked, event),
        }
    }

    /// Better at every event than never again. The user is told once, the records each time.
    fn execute_without_session(&self, asked: &Invocation, event: &Event) -> HookReport {
        let hook = &*asked.hook;
        let period = hook.once.as_str().unwrap_or_default();
        let text = format!("it runs at every event that names no session (once: {period})");
        let mut report = self.execute_or_recall(asked, event, None);
        let told_before = format!("told that {} runs without a session", hook.id.address());
        if matches!(self.sessions.claim(&event.session, &told_before), Ok(ClaimOutcome::Taken)) {
            report.transcript.notices.push(text);
            return report;
        }
        told(report, text)
    }

    /// Claims before running, so that of many processes one runs it; gives the claim back on a failure.
    fn execute_once(&self, asked: &Invocation, event: &Event) -> HookReport {
        let hook = &*asked.hook;
        let period = hook.once.as_str().unwrap_or_default();
        let what = self.run_of(hook, event);
        let claimed = what.and_then(|what| Ok((self.sessions.claim(&event.session, &what)?, what)));
        match claimed {
            Ok((ClaimOutcome::Taken, _)) => HookReport::of(Said::Skipped {
                why: format!("it ran before in this {period} (once: {period})"),
            }),
            Ok((ClaimOutcome::Granted, what)) => {
                let report = self.execute_or_recall(asked, event, Some(&what));
                if matches!(report.said, Said::Failure(_)) {
                    let _ = self.sessions.release(&event.session, &what);
                }
                report
            }
            // Better twice than never, and told.
            Err(error) => {
                let text = format!("it may run again in this {period} (once: {period}): {error}");
                told(self.execute_or_recall(asked, event, None), text)
            }
        }
    }

    pub(crate) fn execute(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let Some(executor) = self.executors.iter().find(|executor| executor.runs(hook)) else {
            let detail = self.no_executor(hook);
            return HookReport::of(Said::Failure(HookFailure::Missing { detail }));
        };
        catch_unwind(AssertUnwindSafe(|| executor.run(hook, event))).unwrap_or_else(|panic| panicked(&*panic))
    }
}

/// A report whose hook could be run, with a warning of ours.
fn told(mut report: HookReport, text: String) -> HookReport {
    match &mut report.said {
        Said::Reply(reply) => reply.effects.push(Effect::Tell(Message { text, level: Level::Warning })),
        Said::Started => report.transcript.notices.push(text),
        Said::Failure(_) | Said::Skipped { .. } => {}
    }
    report
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> HookReport {
    HookReport::of(Said::Failure(HookFailure::Panicked { detail: crate::stumble::panic_text(panic) }))
}
