//! Stop 7: everything that happened becomes records.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tenter_contract::{Event, EventRecord, HookRun, Level, Message, OnFailure, Outcome, RecordBody, Said};

use crate::fitting::Fitting;
use crate::{InForce, Runtime};

/// How much of a hook's complaints a failure record keeps.
const STDERR_TAIL: usize = 2048;

impl Runtime {
    /// Writes the record of an event, one for each injection that was carried and one for each failure.
    pub(crate) fn record(&self, fitting: &mut Fitting, hooks: &InForce, took: Duration) -> Recorded {
        let outcome = &fitting.outcome;
        let event = Arc::clone(&outcome.event);
        let failures = outcome.runs.iter().filter_map(|run| failure(run, outcome, hooks));
        let arrived = fitting.account.entries.iter().filter(|entry| entry.fate.reached_the_agent());
        let injections = arrived
            .map(|entry| RecordBody::Injection { event: Arc::clone(&event), entry: Box::new(entry.clone()) });
        let asides: Vec<RecordBody> = injections.chain(failures).collect();
        let problems = hooks.problems.iter().map(|problem| problem.text.clone()).collect();
        // Lent to the record, and not copied: it may be long.
        let mut outcome = mem::replace(&mut fitting.outcome, Outcome::nothing(event));
        let own = outcome.unfit.len();
        outcome.unfit.extend_from_slice(&fitting.unfit);
        let mut records = vec![RecordBody::Event(Box::new(EventRecord { outcome, problems, took }))];
        records.extend(asides);
        let (seq, loss) = match self.trail.append(&records) {
            Ok(seq) => (Some(seq).filter(|seq| *seq > 0), None),
            Err(error) => (None, Some(error)),
        };
        if let RecordBody::Event(lent) = records.swap_remove(0) {
            fitting.outcome = lent.outcome;
            fitting.outcome.unfit.truncate(own);
        }
        let notices = self.trail.take_notices().into_iter();
        let mut notices: Vec<Message> = notices.map(|text| Message { text, level: Level::Error }).collect();
        if let Some(error) = loss {
            let text = format!("this event is not in the audit trail, and later ones may not be: {error}");
            notices.extend(self.of_state(text, &fitting.outcome, &fitting.abilities));
        }
        Recorded { seq, notices }
    }
}

fn failure(run: &HookRun, outcome: &Outcome, hooks: &InForce) -> Option<RecordBody> {
    let hook = hooks.registry.list().map(|(_, hook)| hook).find(|hook| hook.id == run.hook)?;
    failure_of(run, &outcome.event, hook.on_failure)
}

/// The record of a run that failed.
#[inline(never)]
pub(crate) fn failure_of(run: &HookRun, event: &Arc<Event>, on_failure: OnFailure) -> Option<RecordBody> {
    let Said::Failure(failure) = &run.said else { return None };
    let stderr = &run.transcript.stderr;
    let tail = &stderr[stderr.ceil_char_boundary(stderr.len().saturating_sub(STDERR_TAIL))..];
    Some(RecordBody::Failure {
        event: Arc::clone(event),
        hook: run.hook.clone(),
        failure: failure.clone(),
        policy: on_failure.of(failure.class()),
        stderr_tail: tail.to_owned(),
    })
}

/// What came of recording an event.
pub(crate) struct Recorded {
    /// The number of the event's record, if it was kept.
    pub(crate) seq: Option<u64>,
    /// What the user must be told about it.
    pub(crate) notices: Vec<Message>,
}
