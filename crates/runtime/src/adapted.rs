//! An outcome as the agent supports it.

use tenter_contract::{AgentOutcome, Capabilities, Degradation, Effect, Message, Outcome, Source};
use tenter_kernel::{Adapted, Received, adapt_spilled};

use crate::Runtime;
use crate::event_context::{EventContext, Sink};
use crate::session::{LedgerAccount, LimitedOutcome};

/// An outcome, and the part of it that the agent supports.
pub(crate) struct AdaptedOutcome {
    /// All replies folded into one.
    pub(crate) outcome: Outcome,
    /// The part that the agent supports.
    pub(crate) response: AgentOutcome,
    /// What it does not support, and the alternative.
    pub(crate) degraded: Vec<Degradation>,
    pub(crate) capabilities: Capabilities,
    /// What the agent receives of each injection.
    pub(crate) received: Vec<Received>,
    /// The ledger entries of the injections.
    pub(crate) account: LedgerAccount,
    /// The file with all of the context, if it is too much.
    pub(crate) spilled: Option<String>,
    /// The number of the event's record, once it is written.
    pub(crate) seq: Option<u64>,
}

/// A handled event, for a program that embeds tenter.
pub struct Handled {
    /// The outcome.
    pub outcome: Outcome,
    /// The number of its record, if it could be written.
    pub seq: Option<u64>,
}

impl Runtime {
    /// Adapts an outcome to the capabilities. Too much context goes to one file; otherwise each text that is too long
    /// goes to a file of its own. A program that embeds tenter applies the outcome here.
    pub(crate) fn adapt(&self, cx: &mut EventContext<'_>, limited: LimitedOutcome) -> AdaptedOutcome {
        let LimitedOutcome { outcome, account } = limited;
        let EventContext { capabilities, diagnostics, sink, .. } = cx;
        let limits = account.limits;
        let long_texts = |outcome, diagnostics| {
            self.sessions.spill_long_texts(outcome, capabilities, &limits, diagnostics)
        };
        let (outcome, spilled) = match sink {
            Sink::Host(apply) => (apply(long_texts(outcome, diagnostics)), None),
            Sink::Agent => match self.sessions.spill(&outcome, capabilities, &limits, diagnostics) {
                Some(path) => (outcome, Some(path)),
                None => (long_texts(outcome, diagnostics), None),
            },
        };
        let adapted = AdaptedOutcome::new(outcome, account, *capabilities, spilled);
        self.with_notices(adapted, cx)
    }

    /// Adds the notices that came up since the outcome was adapted.
    pub(crate) fn with_notices(&self, adapted: AdaptedOutcome, cx: &mut EventContext<'_>) -> AdaptedOutcome {
        let messages =
            self.sessions.due_notices(&mut cx.diagnostics, &adapted.outcome, &adapted.capabilities);
        if messages.is_empty() { adapted } else { adapted.with_messages(messages) }
    }

    /// commit: deferred texts wait for the next event, injected texts go to the ledger.
    pub(crate) fn commit(&self, cx: &mut EventContext<'_>, adapted: AdaptedOutcome) -> AdaptedOutcome {
        let adapted = self.sessions.defer(adapted, &mut cx.diagnostics);
        let adapted = self.sessions.write_ledger(adapted, &mut cx.diagnostics);
        self.with_notices(adapted, cx)
    }
}

impl AdaptedOutcome {
    fn new(
        outcome: Outcome,
        account: LedgerAccount,
        capabilities: Capabilities,
        spilled: Option<String>,
    ) -> Self {
        let Adapted { adapted, degraded, received } =
            adapt_spilled(&outcome, &capabilities, spilled.as_deref());
        Self { outcome, response: adapted, degraded, capabilities, received, account, spilled, seq: None }
    }

    /// Adapts again after a change of the outcome or the capabilities.
    pub(crate) fn readapt(self) -> Self {
        let seq = self.seq;
        Self { seq, ..Self::new(self.outcome, self.account, self.capabilities, self.spilled) }
    }

    pub(crate) fn into_handled(self) -> Handled {
        let Self { mut outcome, degraded, seq, .. } = self;
        outcome.degraded.extend(degraded);
        Handled { outcome, seq }
    }

    /// Adds messages of tenter. The hooks have run and the decision is final.
    #[inline(never)]
    fn with_messages(mut self, messages: Vec<Message>) -> Self {
        for message in messages {
            add_message(&mut self.outcome, message);
        }
        self.readapt()
    }
}

/// Adds a message of tenter, unless the outcome has it already.
pub(crate) fn add_message(outcome: &mut Outcome, message: Message) {
    let effect = Effect::Notify(message);
    if !outcome.effects.iter().any(|(_, known)| *known == effect) {
        outcome.effects.push((Source::Tenter, effect));
    }
}
