//! Runs hooks, one or several at a time, and reports on each.

use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tenter_contract::ports::{ClaimOutcome, CountOp, StateError};
use tenter_contract::{
    Cause, Effect, Event, HookFailure, HookOutput, HookReport, HookSpec, Level, Message, Once, RunPeriod,
    SessionClaim, SessionCounter,
};
use tenter_kernel::Invocation;

use super::RunContext;
use super::dry_run::runs_at;
use super::switched_off::switched_off;
use crate::internal_error::panic_text;

impl RunContext<'_> {
    /// Runs the hooks of one step and reports on each, with its number. The kernel puts the reports in the order of the
    /// files, so it does not matter which finishes first.
    #[inline(never)]
    pub(crate) fn run_hooks(self, event: &Event, invocations: &[Invocation]) -> Vec<(usize, HookReport)> {
        match invocations {
            [only] => vec![(0, self.run_invocation(only, event))],
            several => thread::scope(|scope| {
                let run = |invocation| scope.spawn(move || self.run_invocation(invocation, event));
                let running: Vec<_> = several.iter().map(run).collect();
                let report =
                    |joined: thread::Result<HookReport>| joined.unwrap_or_else(|panic| panicked(&*panic));
                running.into_iter().map(|thread| report(thread.join())).enumerate().collect()
            }),
        }
    }

    /// A hook that waited for others gets their runs with the event.
    fn run_invocation(self, invocation: &Invocation, event: &Event) -> HookReport {
        let began = self.clock.now();
        if let Some(progress) = &self.runner.progress {
            progress.started(event, &invocation.hook.id);
        }
        let mut report = if invocation.previous.is_empty() {
            self.run_hook(invocation, event)
        } else {
            let event = Event { previous: invocation.previous.clone(), ..event.clone() };
            self.run_hook(invocation, &event)
        };
        report.transcript.began = Some(began);
        // A fixed text is in the hook file; for other kinds only the definition shows whether the hook has changed.
        report.transcript.definition =
            (!invocation.hook.handler.is_fixed()).then(|| invocation.hook.definition());
        if let Some(progress) = &self.runner.progress {
            progress.finished(event, &invocation.hook.id);
        }
        report
    }

    fn run_hook(self, invocation: &Invocation, event: &Event) -> HookReport {
        let hook = &*invocation.hook;
        if let Some(skipped) = switched_off(&*self.sessions.store, hook, event) {
            return skipped;
        }
        match self.count_event(hook, event) {
            Ok(true) => self.run_now(invocation, event),
            Ok(false) => {
                let every = hook.every.map_or(1, NonZeroU32::get);
                HookReport::new(HookOutput::Skipped {
                    why: format!("it runs at one of {every} events that concern it (every: {every})"),
                })
            }
            // Running it too often is safer than never.
            Err(error) => with_warning(
                self.run_now(invocation, event),
                format!("its events could not be counted (every): {error}"),
            ),
        }
    }

    /// Counts the event for a hook with `every`, also if the run fails. Returns whether the hook runs.
    fn count_event(self, hook: &HookSpec, event: &Event) -> Result<bool, StateError> {
        let Some(every) = hook.every else { return Ok(true) };
        let counter = SessionCounter::HookEvents(hook.id.clone());
        let number = self.sessions.store.count(event.session.as_ref(), &counter, CountOp::Increment)?;
        Ok(runs_at(every, number))
    }

    fn run_now(self, invocation: &Invocation, event: &Event) -> HookReport {
        match invocation.hook.once {
            Once::Unlimited => self.execute_or_recall(invocation, event, None),
            // All events without a session share their claims: the hook would run once and never again.
            Once::Session | Once::Turn if event.session.is_none() => {
                self.execute_without_session(invocation, event)
            }
            Once::Session | Once::Turn => self.execute_once(invocation, event),
        }
    }

    /// Runs at every event, which is safer than never again. The user is notified once; each record has the text.
    fn execute_without_session(self, invocation: &Invocation, event: &Event) -> HookReport {
        let hook = &*invocation.hook;
        let period = hook.once.as_str().unwrap_or_default();
        let text = format!("it runs at every event that names no session (once: {period})");
        let mut report = self.execute_or_recall(invocation, event, None);
        if self.sessions.is_first_notice(None, &Cause::NoSession(hook.id.address())) {
            return with_warning(report, text);
        }
        report.transcript.notices.push(text);
        report
    }

    /// Claims before running, so that one of many processes runs it; releases the claim on a failure.
    fn execute_once(self, invocation: &Invocation, event: &Event) -> HookReport {
        let hook = &*invocation.hook;
        let period = hook.once.as_str().unwrap_or_default();
        let (store, session) = (&*self.sessions.store, event.session.as_ref());
        let claimed =
            self.run_claim(hook, event).and_then(|claim| Ok((store.claim(session, &claim)?, claim)));
        match claimed {
            Ok((ClaimOutcome::Taken, _)) => HookReport::new(HookOutput::Skipped {
                why: format!("it ran before in this {period} (once: {period})"),
            }),
            Ok((ClaimOutcome::Granted, claim)) => {
                let report = self.execute_or_recall(invocation, event, Some(&claim));
                if matches!(report.output, HookOutput::Failure(_)) {
                    let _ = store.release(session, &claim);
                }
                report
            }
            // Running it twice is safer than never.
            Err(error) => {
                let text = format!("it may run again in this {period} (once: {period}): {error}");
                with_warning(self.execute_or_recall(invocation, event, None), text)
            }
        }
    }

    /// The claim of a hook with `once`.
    pub(super) fn run_claim(self, hook: &HookSpec, event: &Event) -> Result<SessionClaim, StateError> {
        let period = match hook.once {
            Once::Unlimited | Once::Session => {
                RunPeriod::Context(self.sessions.context_number(event.session.as_ref())?)
            }
            Once::Turn => RunPeriod::Turn(self.sessions.turn(event)?),
        };
        Ok(SessionClaim::HookRan { hook: hook.id.clone(), period })
    }

    pub(crate) fn execute(self, hook: &HookSpec, event: &Event) -> HookReport {
        let Some(executor) = self.runner.executors.iter().find(|executor| executor.runs(hook)) else {
            let detail = self.no_executor(hook);
            return HookReport::new(HookOutput::Failure(HookFailure::Missing { detail }));
        };
        catch_unwind(AssertUnwindSafe(|| executor.run(hook, event))).unwrap_or_else(|panic| panicked(&*panic))
    }

    fn no_executor(self, hook: &HookSpec) -> String {
        let kind = hook.handler.kind();
        match self.full_binary {
            Some(full_binary) => {
                format!("`{kind}` hooks need the full `tenter` binary: {}", full_binary.unavailable_reason())
            }
            None => format!("this build cannot run `{kind}` hooks"),
        }
    }
}

/// The report of a hook that ran, with a warning of tenter.
fn with_warning(mut report: HookReport, text: String) -> HookReport {
    match &mut report.output {
        HookOutput::Reply(reply) => {
            reply.effects.push(Effect::Notify(Message { text, level: Level::Warning }));
        }
        HookOutput::Started => report.transcript.notices.push(text),
        HookOutput::Failure(_) | HookOutput::Skipped { .. } => {}
    }
    report
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> HookReport {
    HookReport::new(HookOutput::Failure(HookFailure::Panicked { detail: panic_text(panic) }))
}
