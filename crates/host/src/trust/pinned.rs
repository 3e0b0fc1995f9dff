//! Looks once more, just before a project's hook runs: what it runs must still be what was trusted.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookFailure, HookReport, HookSpec, Said};

/// An executor that runs a hook only if its files are what they were.
pub(crate) struct Pinned {
    pub(crate) inner: Box<dyn HookExecutor>,
}

impl HookExecutor for Pinned {
    fn runs(&self, hook: &HookSpec) -> bool {
        self.inner.runs(hook)
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        self.inner.runs_at(hook, event)
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        match hook.pins.iter().find(|pin| !super::still(pin)) {
            None => self.inner.run(hook, event),
            Some(pin) => {
                let detail =
                    format!("`{}` was changed since you trusted this project; type `tenter trust`", pin.path);
                HookReport::of(Said::Failure(HookFailure::Missing { detail }))
            }
        }
    }

    fn let_stop(&mut self, stop: Arc<AtomicBool>) {
        self.inner.let_stop(stop);
    }

    fn event_over(&self) {
        self.inner.event_over();
    }
}
