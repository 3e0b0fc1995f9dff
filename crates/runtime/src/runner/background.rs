//! Starts hooks that the agent does not wait for, and delivers their output.
//!
//! ```text
//! responding process  claim, count, cache ─▶ start ─▶ "started" in the record ─▶ response
//!                                              │
//! background worker                            └▶ run ─▶ fold ─▶ record ─▶ defer
//!                                                                           │
//! the next event                                                            └▶ context, messages
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::outcome::Round;
use tenter_contract::ports::{BackgroundJob, CrashNotice, Deferred, DeferredText, Work};
use tenter_contract::{
    Capabilities, Degradation, Diagnostics, Effect, Event, ExecutionMode, HookFailure, HookOutput,
    HookReport, HookRun, HookSpec, Level, Message, Notice, Outcome, RecordBody, SessionClaim, Source,
    Transcript,
};
use tenter_kernel::matching::concerns;
use tenter_kernel::{Invocation, Registry, fold_background_run};

use super::RunContext;
use crate::audit::failure_record;
use crate::{ActiveHooks, Runtime};

impl RunContext<'_> {
    /// Starts a hook in the background, and waits only until the worker has the job.
    pub(super) fn execute_in_background(
        self,
        invocation: &Invocation,
        event: &Event,
        claim: Option<&SessionClaim>,
        cache_key: Option<String>,
    ) -> HookReport {
        let Invocation { hook, limits, .. } = invocation;
        if !self.runner.executors.iter().any(|executor| executor.runs(hook)) {
            // No build on this machine runs it, so it fails at once.
            return self.execute(hook, event);
        }
        let Some(background) = &self.runner.background else {
            let mut report = self.execute(hook, event);
            let notice = "the agent waited for it: nothing runs in the background here";
            report.transcript.notices.push(notice.to_owned());
            return report;
        };
        let work = Work::Hook { hook: Box::new((**hook).clone()), claim: claim.cloned(), cache_key };
        match background.start(&BackgroundJob { event: Arc::new(event.clone()), work, limits: *limits }, None)
        {
            Ok(()) => HookReport::new(HookOutput::Started),
            Err(why) => {
                let detail = no_worker(&why);
                HookReport::new(HookOutput::Failure(HookFailure::Missing { detail }))
            }
        }
    }
}

/// Why no background worker has a job.
pub(crate) fn no_worker(why: &str) -> String {
    format!("no background worker could be started: {why}")
}

impl Runtime {
    /// At the last event of a session, starts all hooks in the background if they may take longer than the agent waits,
    /// and waits for them as long as the agent does. `None` if the time is enough, or if no worker could be started; then
    /// they get the time there is.
    #[inline(never)]
    pub(crate) fn start_in_background(&self, event: &Arc<Event>, hooks: &ActiveHooks) -> Option<Outcome> {
        let (background, until) = (self.runner.background.as_ref()?, self.deadline?);
        let concerned = || hooks.for_event(event).filter(|hook| concerns(hook, event));
        let takes_time =
            |hook: &&HookSpec| !hook.handler.is_fixed() && hook.execution_mode != ExecutionMode::Background;
        let longest = concerned().filter(takes_time).map(|hook| hook.timeout);
        let longest = longest.fold(Duration::ZERO, Duration::saturating_add);
        if longest <= until.saturating_duration_since(Instant::now()) {
            return None;
        }
        let work = Work::Event { hooks: hooks.for_event(event).map(in_foreground).collect() };
        let limits = *hooks.registry.limits();
        background.start(&BackgroundJob { event: Arc::clone(event), work, limits }, Some(until)).ok()?;
        let started = |hook: &HookSpec| HookRun {
            hook: hook.id.clone(),
            round: Round::First,
            output: HookOutput::Started,
            transcript: Transcript::default(),
        };
        Some(Outcome { runs: concerned().map(started).collect(), ..Outcome::nothing(Arc::clone(event)) })
    }

    /// Runs the hooks of a job. Their output is not delivered yet.
    pub fn run_job(&self, job: &BackgroundJob) -> Outcome {
        let event = Arc::clone(&job.event);
        match &job.work {
            Work::Hook { hook, .. } => {
                let report = self.run_context().execute(hook, &event);
                self.runner.executors.iter().for_each(|executor| executor.end_event());
                fold_background_run(event, hook, job.limits, report)
            }
            Work::Event { hooks } => {
                let registry = Registry::new(hooks.clone()).within(job.limits);
                let hooks = ActiveHooks { registry, ..ActiveHooks::default() };
                // A background job cannot notify the user; the records have the errors.
                self.decide(event, &hooks, &Capabilities::NOTHING, &mut Diagnostics::default())
            }
        }
    }

    /// Keeps a notice for the case that this process is killed: a hook that was started must not vanish in silence. If
    /// the notice cannot be kept, the records still say that the hook was started.
    pub fn keep_crash_notice(&self, job: &BackgroundJob) -> Option<Box<dyn CrashNotice>> {
        let session = job.event.session.as_ref().filter(|_| !job.outlives_agent())?;
        let words = |hook: &HookSpec| {
            let name = &hook.id;
            let text = format!(
                "hook `{name}` was started in the background, and the process that ran it was killed; went on without it"
            );
            own_message(text, Level::Warning)
        };
        let texts: Vec<Deferred> = job.hooks().iter().map(words).collect();
        self.sessions.store.keep_crash_notice(session, &texts).ok().flatten()
    }

    /// The outcome of a job whose hooks were ended before they replied.
    pub fn fail_job(job: &BackgroundJob, failure: &HookFailure) -> Outcome {
        let mut outcome = Outcome::nothing(Arc::clone(&job.event));
        for hook in job.hooks() {
            let report = HookReport::new(HookOutput::Failure(failure.clone()));
            let of_hook = fold_background_run(Arc::clone(&job.event), hook, job.limits, report);
            outcome.effects.extend(of_hook.effects);
            outcome.runs.extend(of_hook.runs);
        }
        outcome
    }

    /// Records the outcome of a job, and keeps its texts for the next event of the session.
    pub fn finish_job(&self, job: &BackgroundJob, outcome: &Outcome, recipient: Recipient) {
        self.store_run(job, outcome);
        let (context, mut messages) = deferred_texts(outcome);
        let event = &outcome.event;
        let delivered = recipient == Recipient::NextEvent && event.session.is_some();
        let mut degraded = outcome.degraded.clone();
        degraded.extend(context.iter().filter_map(|deferred| status(deferred, delivered)));
        let at = self.clock.now();
        // A failure is recorded when it happened, not when its hook was started.
        let ended = Arc::new(Event { at, ..(**event).clone() });
        let mut records = Vec::new();
        for run in &outcome.runs {
            let whose = |degraded: &&Degradation| hook_of(degraded).is_none_or(|hook| *hook == run.hook);
            records.push(RecordBody::Background {
                event: Arc::clone(event),
                at,
                run: Box::new(run.clone()),
                degraded: degraded.iter().filter(whose).cloned().collect(),
            });
            let hook = job.hooks().iter().find(|hook| hook.id == run.hook);
            records.extend(hook.and_then(|hook| failure_record(run, &ended, hook.on_failure)));
        }
        let mut diagnostics = Diagnostics::default();
        if let Err(error) = self.audit.trail.append(&records, &mut diagnostics) {
            let text = format!("the run of a background hook is not recorded: {error}");
            diagnostics.add(Notice::error(error.cause(), text));
        }
        messages.extend(diagnostics.take().into_iter().map(|notice| own_message(notice.text, notice.level)));
        let Some(session) = event.session.as_ref().filter(|_| delivered) else { return };
        // Kept apart, because more events support messages than context.
        for texts in [context, messages] {
            if texts.is_empty() {
                continue;
            }
            if let Err(error) = self.sessions.store.defer(session, &texts) {
                self.record_loss(job, &error.to_string());
            }
        }
    }

    /// Releases the claim of a failed run, and caches a reply if the hook has `cache`.
    fn store_run(&self, job: &BackgroundJob, outcome: &Outcome) {
        let Work::Hook { claim, cache_key, .. } = &job.work else { return };
        for run in &outcome.runs {
            match (&run.output, claim, cache_key) {
                (HookOutput::Failure(_), Some(claim), _) => {
                    // If that fails, the hook does not run again; the failure is reported in any case.
                    let _ = self.sessions.store.release(outcome.event.session.as_ref(), claim);
                }
                (HookOutput::Reply(reply), _, Some(key)) => {
                    self.runner.replies.keep(key, reply, self.clock.now());
                }
                _ => {}
            }
        }
    }

    /// Records that the output cannot be kept for the next event.
    fn record_loss(&self, job: &BackgroundJob, detail: &str) {
        let event = Arc::new(Event { at: self.clock.now(), ..(*job.event).clone() });
        let lost = job.hooks().iter().map(|hook| RecordBody::Failure {
            event: Arc::clone(&event),
            hook: hook.id.clone(),
            failure: HookFailure::Failed { detail: format!("its output is lost: {detail}") },
            policy: hook.on_failure.error,
            stderr_tail: String::new(),
        });
        let _ = self.audit.trail.append(&lost.collect::<Vec<_>>(), &mut Diagnostics::default());
    }
}

/// A hook as it runs in a job, which is in the background already.
pub(crate) fn in_foreground(hook: &HookSpec) -> HookSpec {
    match hook.execution_mode {
        ExecutionMode::Background => HookSpec { execution_mode: ExecutionMode::Alone, ..hook.clone() },
        ExecutionMode::Alone | ExecutionMode::Parallel => hook.clone(),
    }
}

/// Who gets the output of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// The next event of the session.
    NextEvent,
    /// The audit trail alone: the session is over, or the agent is gone.
    TrailOnly,
}

/// The texts for the context, and the messages for the user.
fn deferred_texts(outcome: &Outcome) -> (Vec<Deferred>, Vec<Deferred>) {
    let (mut context, mut messages) = (Vec::new(), Vec::new());
    for (by, effect) in &outcome.effects {
        let by = by.clone();
        match effect {
            Effect::Inject(injection) => {
                context.push(Deferred { by, text: DeferredText::Context(injection.clone()) });
            }
            Effect::Notify(message) => {
                messages.push(Deferred { by, text: DeferredText::Message(message.clone()) });
            }
            Effect::Rewrite(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => {}
        }
    }
    messages
        .extend(outcome.degraded.iter().map(|degraded| own_message(degraded.to_string(), Level::Warning)));
    (context, messages)
}

fn own_message(text: String, level: Level) -> Deferred {
    Deferred { by: Source::Tenter, text: DeferredText::Message(Message { text, level }) }
}

/// What happens to a text for the context.
fn status(deferred: &Deferred, delivered: bool) -> Option<Degradation> {
    let DeferredText::Context(injection) = &deferred.text else { return None };
    let (by, bytes) = (deferred.by.clone(), injection.whole_bytes());
    Some(if delivered {
        Degradation::Deferred { by, bytes }
    } else {
        Degradation::NoContextChannel { by, bytes }
    })
}

/// The hook that a degradation is about, if it is about one.
fn hook_of(degraded: &Degradation) -> Option<&tenter_contract::HookId> {
    match degraded {
        Degradation::Deferred { by: Source::Hook(hook), .. }
        | Degradation::NoContextChannel { by: Source::Hook(hook), .. }
        | Degradation::InjectionTooLarge { by: hook, .. } => Some(hook),
        _ => None,
    }
}
