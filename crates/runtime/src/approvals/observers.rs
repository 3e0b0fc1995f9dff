//! Hooks at `approval:required`, `granted`, `denied` and `timeout`. They observe a request and cannot change its
//! outcome.
//!
//! They run in the background, so that they can alert a person while the request waits. Without a background worker they
//! run before the request goes on.

use std::sync::Arc;

use tenter_contract::ports::{BackgroundJob, Work};
use tenter_contract::{ApprovalAnswer, ApprovalRecord, ApprovalStep, Event, EventKind, Facts, HookFailure};
use tenter_kernel::matching::concerns;

use crate::Runtime;
use crate::runner::background::{Recipient, in_foreground, no_worker};

impl Runtime {
    /// Runs the hooks that observe approvals, after the step is recorded.
    pub(crate) fn notify_observers(&self, record: ApprovalRecord) {
        let Some(mut event) = observed_event(record) else { return };
        let hooks = self.catalog.hooks_for_host(&mut event);
        let concerned = hooks.for_event(&event).filter(|hook| concerns(hook, &event));
        let concerned: Vec<_> = concerned.map(in_foreground).collect();
        if concerned.is_empty() {
            return;
        }
        let limits = *hooks.registry.limits();
        let job = BackgroundJob { event: Arc::new(event), work: Work::Event { hooks: concerned }, limits };
        let outcome = match &self.runner.background {
            None => self.run_job(&job),
            Some(background) => match background.start(&job, None) {
                Ok(()) => return,
                Err(why) => {
                    let detail = no_worker(&why);
                    Self::fail_job(&job, &HookFailure::Missing { detail })
                }
            },
        };
        self.finish_job(&job, &outcome, Recipient::NextEvent);
    }
}

/// The step as an event: about the same call, with the question as its message, the approver as its source and the
/// answer as its reason. `None` if hooks cannot observe it.
fn observed_event(record: ApprovalRecord) -> Option<Event> {
    let ApprovalRecord { request, at, step } = record;
    let kinds = [
        EventKind::ApprovalRequired,
        EventKind::ApprovalGranted,
        EventKind::ApprovalDenied,
        EventKind::ApprovalTimeout,
    ];
    let kind = kinds.into_iter().find(|kind| kind.as_str() == step.record_name())?;
    let (reason, took) = match step {
        ApprovalStep::Required | ApprovalStep::Unknown | ApprovalStep::Withdrawn { .. } => (None, None),
        ApprovalStep::Observed { took } => (Some("granted: the call has run".to_owned()), Some(took)),
        // The step `Required` has reported that the agent asks.
        ApprovalStep::Answered { answer: ApprovalAnswer::LeftToHost, .. } => return None,
        ApprovalStep::Answered { answer, took } => (Some(answer.in_words()), Some(took)),
    };
    Some(Event {
        kind,
        at,
        message: Some(request.question.prompt()),
        source: Some(request.approver),
        reason,
        duration_ms: took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        facts: Facts::default(),
        ..(*request.event).clone()
    })
}
