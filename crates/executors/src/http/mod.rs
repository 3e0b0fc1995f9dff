//! Hooks that are web servers: `http`.
//!
//! ```text
//! secrets ─┐
//! proxy   ─┼─ client ── call ── interpret ── fold ── report
//! roots   ─┘ (one exchange)     (as with commands)
//! ```

mod call;
pub(crate) mod client;
#[cfg(feature = "otel")]
pub mod post;
mod proxy;
mod redirect;
mod roots;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};

use crate::stopping::Stopping;

/// Asks web servers: with GET for a text, with POST for a judgement of the event.
#[derive(Clone, Debug, Default)]
pub struct HttpExecutor {
    stopping: Stopping,
}

impl HookExecutor for HttpExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Http(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        self.stopping.leaves(hook, event, move |hook, event| call::run(hook, event, &ours))
    }

    fn let_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stopping = Stopping::by(stop);
    }
}

#[cfg(test)]
pub(crate) mod tests;
