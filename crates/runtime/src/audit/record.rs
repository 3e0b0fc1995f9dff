//! record: writes the record of an event, one for each delivered injection and one for each failure.

use std::mem;
use std::sync::Arc;

use tenter_contract::{Event, EventRecord, HookOutput, HookRun, Notice, OnFailure, Outcome, RecordBody};

use crate::adapted::AdaptedOutcome;
use crate::event_context::EventContext;
use crate::{ActiveHooks, Runtime};

/// The bytes of a hook's standard error that a failure record keeps.
const STDERR_TAIL: usize = 2048;

impl Runtime {
    /// Writes the records. A record that cannot be written is a notice.
    pub(crate) fn record(&self, mut cx: EventContext<'_>, mut adapted: AdaptedOutcome) -> AdaptedOutcome {
        let outcome = &adapted.outcome;
        let event = Arc::clone(&outcome.event);
        let failures = outcome.runs.iter().filter_map(|run| failure(run, outcome, &cx.hooks));
        let delivered = adapted.account.entries.iter().filter(|entry| entry.status.reached_agent());
        let injections = delivered
            .map(|entry| RecordBody::Injection { event: Arc::clone(&event), entry: Box::new(entry.clone()) });
        let details: Vec<RecordBody> = injections.chain(failures).collect();
        let problems = cx.hooks.problems.iter().map(|problem| problem.text.clone()).collect();
        // Moved into the record and back, because a copy may be long.
        let mut outcome = mem::replace(&mut adapted.outcome, Outcome::nothing(event));
        let own = outcome.degraded.len();
        outcome.degraded.extend_from_slice(&adapted.degraded);
        let took = cx.arrived.elapsed();
        let mut records = vec![RecordBody::Event(Box::new(EventRecord { outcome, problems, took }))];
        records.extend(details);
        match self.audit.trail.append(&records, &mut cx.diagnostics) {
            Ok(seq) => adapted.seq = Some(seq).filter(|seq| *seq > 0),
            Err(error) => {
                let text =
                    format!("this event is not in the audit trail, and later ones may not be: {error}");
                cx.diagnostics.add(Notice::unusable(error.cause(), text));
            }
        }
        if let RecordBody::Event(lent) = records.swap_remove(0) {
            adapted.outcome = lent.outcome;
            adapted.outcome.degraded.truncate(own);
        }
        self.with_notices(adapted, &mut cx)
    }
}

fn failure(run: &HookRun, outcome: &Outcome, hooks: &ActiveHooks) -> Option<RecordBody> {
    let hook = hooks.registry.list().map(|(_, hook)| hook).find(|hook| hook.id == run.hook)?;
    failure_record(run, &outcome.event, hook.on_failure)
}

/// The record of a run that failed.
#[inline(never)]
pub(crate) fn failure_record(run: &HookRun, event: &Arc<Event>, on_failure: OnFailure) -> Option<RecordBody> {
    let HookOutput::Failure(failure) = &run.output else { return None };
    let stderr = &run.transcript.stderr;
    let tail = &stderr[stderr.ceil_char_boundary(stderr.len().saturating_sub(STDERR_TAIL))..];
    Some(RecordBody::Failure {
        event: Arc::clone(event),
        hook: run.hook.clone(),
        failure: failure.clone(),
        policy: on_failure.policy_for(failure.class()),
        stderr_tail: tail.to_owned(),
    })
}
