//! Hooks that are web servers: `http`.
//!
//! ```text
//! secrets ─┬─ client ── call ── interpret ── fold ── report
//! net     ─┘ (one exchange)     (as with commands)
//! ```

mod call;
pub(crate) mod client;
pub mod post;
mod redirect;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec};

use crate::interrupt::Interrupt;

/// Runs hooks on web servers: GET fetches a text, POST sends the event and reads a reply.
#[derive(Clone, Debug, Default)]
pub struct HttpExecutor {
    interrupt: Interrupt,
}

impl HookExecutor for HttpExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Http(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        self.interrupt.run_interruptible(hook, event, move |hook, event| call::run(hook, event, &ours))
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.interrupt = Interrupt::new(stop);
    }
}

#[cfg(test)]
pub(crate) mod tests;
