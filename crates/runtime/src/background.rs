//! Stop 3 for hooks that nobody waits for: how they are started, and what becomes of what they say.
//!
//! ```text
//! answering process   claim, count, recall ─▶ hand over ─▶ "started" in the record ─▶ answer
//!                                                  │
//! keeper                                           └▶ run ─▶ fold ─▶ record ─▶ carry
//!                                                                                │
//! the next event                                                                 └▶ context, messages
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::outcome::Round;
use tenter_contract::ports::{Carried, CarriedText, Errand, LastWords, Work};
use tenter_contract::{
    Abilities, Company, Effect, Event, HookFailure, HookReport, HookRun, HookSpec, Level, Message, Outcome,
    RecordBody, Said, SessionId, Source, Transcript, Unfit,
};
use tenter_kernel::matching::concerns;
use tenter_kernel::{Invocation, Registry, late};

use crate::record::failure_of;
use crate::{InForce, Runtime};

impl Runtime {
    /// Starts a hook whose turn it is, and waits for nothing but that it is in other hands.
    pub(crate) fn execute_in_background(
        &self,
        asked: &Invocation,
        event: &Event,
        claim: Option<&str>,
        cache_key: Option<String>,
    ) -> HookReport {
        let Invocation { hook, limits, .. } = asked;
        if !self.executors.iter().any(|executor| executor.runs(hook)) {
            // Nobody of this build runs it, so that is told at once.
            return self.execute(hook, event);
        }
        let Some(background) = &self.background else {
            let mut report = self.execute(hook, event);
            let notice = "it was waited for: nothing runs in the background here";
            report.transcript.notices.push(notice.to_owned());
            return report;
        };
        let hook = Box::new((**hook).clone());
        let work = Work::Hook { hook, claim: claim.map(str::to_owned), cache_key };
        match background.start(&Errand { event: Arc::new(event.clone()), work, limits: *limits }, None) {
            Ok(()) => HookReport::of(Said::Started),
            Err(why) => {
                let detail = format!("nobody could be found to run it in the background: {why}");
                HookReport::of(Said::Failure(HookFailure::Missing { detail }))
            }
        }
    }

    /// At the last event of a session: if its hooks may take longer than the agent waits, all of them are left to
    /// somebody else, in their order, and are waited for as long as the agent does. `None` if they have the time,
    /// or if nobody takes them; then they get the time there is.
    #[inline(never)]
    pub(crate) fn leave_to_background(&self, event: &Arc<Event>, hooks: &InForce) -> Option<Outcome> {
        let (background, until) = (self.background.as_ref()?, self.until?);
        let concerned = || hooks.of_kind(event).filter(|hook| concerns(hook, event));
        let takes_time = |hook: &&HookSpec| !hook.handler.is_fixed() && hook.company != Company::Background;
        let longest = concerned().filter(takes_time).map(|hook| hook.timeout);
        let longest = longest.fold(Duration::ZERO, Duration::saturating_add);
        if longest <= until.saturating_duration_since(Instant::now()) {
            return None;
        }
        let work = Work::Event { hooks: hooks.of_kind(event).map(in_its_turn).collect() };
        let limits = *hooks.registry.limits();
        background.start(&Errand { event: Arc::clone(event), work, limits }, Some(until)).ok()?;
        let started = |hook: &HookSpec| HookRun {
            hook: hook.id.clone(),
            round: Round::First,
            said: Said::Started,
            transcript: Transcript::default(),
        };
        Some(Outcome { runs: concerned().map(started).collect(), ..Outcome::nothing(Arc::clone(event)) })
    }

    /// Runs the hooks of an errand. What they say is not told to anybody yet.
    pub fn run_errand(&self, errand: &Errand) -> Outcome {
        let event = Arc::clone(&errand.event);
        match &errand.work {
            Work::Hook { hook, .. } => {
                let report = self.execute(hook, &event);
                self.executors.iter().for_each(|executor| executor.event_over());
                late(event, hook, errand.limits, report)
            }
            Work::Event { hooks } => {
                let registry = Registry::of(hooks.clone()).within(errand.limits);
                let hooks = InForce { registry, ..InForce::default() };
                self.decide((*event).clone(), &hooks, &Abilities::NOTHING)
            }
        }
    }

    /// Leaves word for the case that this process is killed on its errand: a hook that was started must not vanish
    /// in silence. If that cannot be kept, the trail still says that it was started.
    pub fn leave_last_words(&self, errand: &Errand) -> Option<Box<dyn LastWords>> {
        let session = &errand.event.session;
        if errand.outlives_agent() || *session == SessionId::unknown() {
            return None;
        }
        let words = |hook: &HookSpec| {
            let name = &hook.id;
            let text = format!(
                "hook `{name}` was started in the background, and the process that ran it was killed; went on without it"
            );
            of_ours(text, Level::Warning)
        };
        let texts: Vec<Carried> = errand.hooks().iter().map(words).collect();
        self.sessions.keep_last_words(session, &texts).ok().flatten()
    }

    /// What an errand came to whose hooks were ended before they had said anything.
    pub fn cut_short(errand: &Errand, failure: &HookFailure) -> Outcome {
        let mut outcome = Outcome::nothing(Arc::clone(&errand.event));
        for hook in errand.hooks() {
            let report = HookReport::of(Said::Failure(failure.clone()));
            let of_hook = late(Arc::clone(&errand.event), hook, errand.limits, report);
            outcome.effects.extend(of_hook.effects);
            outcome.runs.extend(of_hook.runs);
        }
        outcome
    }

    /// Records what an errand came to, and leaves what was said for the session's next event.
    pub fn settle_errand(&self, errand: &Errand, outcome: &Outcome, audience: Audience) {
        self.remember_run(errand, outcome);
        let (context, mut messages) = words(outcome);
        let event = &outcome.event;
        let heard = audience == Audience::NextEvent && event.session != SessionId::unknown();
        let mut unfit = outcome.unfit.clone();
        unfit.extend(context.iter().filter_map(|carried| fate(carried, heard)));
        let at = self.clock.now();
        // A failure is recorded when it happened, not when its hook was started.
        let ended = Arc::new(Event { at, ..(**event).clone() });
        let mut records = Vec::new();
        for run in &outcome.runs {
            let whose = |unfit: &&Unfit| by_hook(unfit).is_none_or(|hook| *hook == run.hook);
            records.push(RecordBody::Background {
                event: Arc::clone(event),
                at,
                run: Box::new(run.clone()),
                unfit: unfit.iter().filter(whose).cloned().collect(),
            });
            let hook = errand.hooks().iter().find(|hook| hook.id == run.hook);
            records.extend(hook.and_then(|hook| failure_of(run, &ended, hook.on_failure)));
        }
        let loss = self.trail.append(&records).err();
        let loss = loss.map(|error| format!("what a hook did in the background is not recorded: {error}"));
        let notices = self.trail.take_notices().into_iter().chain(loss);
        messages.extend(notices.map(|text| of_ours(text, Level::Error)));
        if !heard {
            return;
        }
        // Apart, because more events can carry messages.
        for texts in [context, messages] {
            if texts.is_empty() {
                continue;
            }
            if let Err(error) = self.sessions.carry(&event.session, &texts) {
                self.record_loss(errand, &error.to_string());
            }
        }
    }

    /// A failed run gives its claim back; a reply is kept, if it is to be.
    fn remember_run(&self, errand: &Errand, outcome: &Outcome) {
        let Work::Hook { claim, cache_key, .. } = &errand.work else { return };
        for run in &outcome.runs {
            match (&run.said, claim, cache_key) {
                (Said::Failure(_), Some(claim), _) => {
                    // If it cannot be given back, it does not run again; the failure is told all the same.
                    let _ = self.sessions.release(&outcome.event.session, claim);
                }
                (Said::Reply(reply), _, Some(key)) => self.replies.keep(key, reply, self.clock.now()),
                _ => {}
            }
        }
    }

    /// What was said cannot be kept for the next event: at least the trail says so.
    fn record_loss(&self, errand: &Errand, detail: &str) {
        let event = Arc::new(Event { at: self.clock.now(), ..(*errand.event).clone() });
        let lost = errand.hooks().iter().map(|hook| RecordBody::Failure {
            event: Arc::clone(&event),
            hook: hook.id.clone(),
            failure: HookFailure::Failed { detail: format!("what it said reaches nobody: {detail}") },
            policy: hook.on_failure.error,
            stderr_tail: String::new(),
        });
        let _ = self.trail.append(&lost.collect::<Vec<_>>());
    }
}

/// A hook as it runs on an errand: there it is in the background already.
pub(crate) fn in_its_turn(hook: &HookSpec) -> HookSpec {
    match hook.company {
        Company::Background => HookSpec { company: Company::Alone, ..hook.clone() },
        Company::Alone | Company::Parallel => hook.clone(),
    }
}

/// Whether anybody will hear what was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The session's next event.
    NextEvent,
    /// Nobody: the session is over, or the agent is gone. The trail has it.
    Nobody,
}

/// What was said for the context, and what for the user.
fn words(outcome: &Outcome) -> (Vec<Carried>, Vec<Carried>) {
    let (mut context, mut messages) = (Vec::new(), Vec::new());
    for (by, effect) in &outcome.effects {
        let by = by.clone();
        match effect {
            Effect::Inject(injection) => {
                context.push(Carried { by, text: CarriedText::Context(injection.clone()) });
            }
            Effect::Tell(message) => {
                messages.push(Carried { by, text: CarriedText::Message(message.clone()) });
            }
            Effect::Rewrite(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => {}
        }
    }
    messages.extend(outcome.unfit.iter().map(|unfit| of_ours(unfit.to_string(), Level::Warning)));
    (context, messages)
}

fn of_ours(text: String, level: Level) -> Carried {
    Carried { by: Source::Tenter, text: CarriedText::Message(Message { text, level }) }
}

/// What becomes of a text for the context.
fn fate(carried: &Carried, heard: bool) -> Option<Unfit> {
    let CarriedText::Context(injection) = &carried.text else { return None };
    let (by, bytes) = (carried.by.clone(), injection.whole_bytes());
    Some(if heard { Unfit::Carried { by, bytes } } else { Unfit::NoContextChannel { by, bytes } })
}

/// The hook that something is about, if it is about one.
fn by_hook(unfit: &Unfit) -> Option<&tenter_contract::HookId> {
    match unfit {
        Unfit::Carried { by: Source::Hook(hook), .. }
        | Unfit::NoContextChannel { by: Source::Hook(hook), .. }
        | Unfit::InjectionTooLarge { by: hook, .. } => Some(hook),
        _ => None,
    }
}
