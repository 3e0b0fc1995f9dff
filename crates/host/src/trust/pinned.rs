//! Looks once more, just before a project's hook runs: what it runs must still be what was trusted.

use std::path::Path;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, HookFailure, HookReport, HookSpec, Said};
use tenter_protocol::shorten::sha256_hex;

/// An executor that runs a hook only if its files are what they were.
pub(crate) struct Pinned {
    pub(crate) inner: Box<dyn HookExecutor>,
}

impl HookExecutor for Pinned {
    fn runs(&self, hook: &HookSpec) -> bool {
        self.inner.runs(hook)
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let changed = hook
            .pins
            .iter()
            .find(|pin| super::read(Path::new(&pin.path)).as_deref().map(sha256_hex) != pin.sha256);
        match changed {
            None => self.inner.run(hook, event),
            Some(pin) => {
                let detail =
                    format!("`{}` was changed since you trusted this project; type `tenter trust`", pin.path);
                HookReport::of(Said::Failure(HookFailure::Missing { detail }))
            }
        }
    }

    fn event_over(&self) {
        self.inner.event_over();
    }
}
