//! commit: deferred texts wait for the next event, injected texts go to the ledger.

use crate::Runtime;
use crate::adapt::AdaptedOutcome;
use crate::event_context::EventContext;

impl Runtime {
    pub(crate) fn commit(&self, cx: &mut EventContext<'_>, adapted: AdaptedOutcome) -> AdaptedOutcome {
        let adapted = self.sessions.defer(adapted, &mut cx.diagnostics);
        let adapted = self.sessions.write_ledger(adapted, &mut cx.diagnostics);
        self.with_notices(adapted, cx)
    }
}
