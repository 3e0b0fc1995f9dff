//! Hooks at `approval:required`, `granted`, `denied` and `timeout`: they hear of a question, and nothing they say
//! changes what becomes of it.
//!
//! They run in the background, so that a person can be told of a question while it waits, and no answer waits for
//! them. Where nothing runs in the background, they are waited for.

use std::sync::Arc;

use tenter_contract::ports::{Errand, Work};
use tenter_contract::{ApprovalRecord, ApprovalStep, Event, EventKind, Facts, HookFailure, HumanAnswer};
use tenter_kernel::matching::concerns;

use crate::Runtime;
use crate::background::{Audience, in_its_turn};

impl Runtime {
    /// Tells the hooks that observe approvals what has happened to a question, which is recorded already.
    pub(crate) fn tell_observers(&self, record: ApprovalRecord) {
        let Some(mut event) = heard(record) else { return };
        let hooks = self.hooks_of_host(&mut event);
        let concerned = hooks.of_kind(&event).filter(|hook| concerns(hook, &event));
        let concerned: Vec<_> = concerned.map(in_its_turn).collect();
        if concerned.is_empty() {
            return;
        }
        let limits = *hooks.registry.limits();
        let errand = Errand { event: Arc::new(event), work: Work::Event { hooks: concerned }, limits };
        let outcome = match &self.background {
            None => self.run_errand(&errand),
            Some(background) => match background.start(&errand, None) {
                Ok(()) => return,
                Err(why) => {
                    let detail = format!("nobody could be found to run it in the background: {why}");
                    Self::cut_short(&errand, &HookFailure::Missing { detail })
                }
            },
        };
        self.settle_errand(&errand, &outcome, Audience::NextEvent);
    }
}

/// What happened, as an event: about the same call, with the question as its message, the desk as its source and
/// what came back as its reason. `None` if it is nothing that hooks can observe.
fn heard(record: ApprovalRecord) -> Option<Event> {
    let ApprovalRecord { inquiry, at, step } = record;
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
        // That the agent asks is what was required.
        ApprovalStep::Answered { answer: HumanAnswer::LeftToHost, .. } => return None,
        ApprovalStep::Answered { answer, took } => (Some(answer.in_words()), Some(took)),
    };
    Some(Event {
        kind,
        at,
        message: Some(inquiry.question.prompt()),
        source: Some(inquiry.desk),
        reason,
        duration_ms: took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        facts: Facts::default(),
        ..(*inquiry.event).clone()
    })
}
