//! Runs hooks: here or in the background, from the cache, once or at some events only.

pub mod background;
mod cache;
mod dry_run;
mod progress;
mod run;
mod switched_off;

use tenter_contract::ports::{
    Background, Clock, FactFinder, FullBinary, HookExecutor, ProgressObserver, ReplyCache,
};

use crate::Runtime;
use crate::session::SessionService;

pub use dry_run::DryRun;

/// Runs hooks.
pub struct HookRunner {
    /// Ways to run them; the first that supports a kind is used.
    pub executors: Vec<Box<dyn HookExecutor>>,
    /// Earlier replies of hooks with `cache`.
    pub replies: Box<dyn ReplyCache>,
    /// Runs hooks that the agent does not wait for. Without it the agent waits for them.
    pub background: Option<Box<dyn Background>>,
    /// Shows the progress; none where an agent owns the terminal.
    pub progress: Option<Box<dyn ProgressObserver>>,
}

/// Runs hooks with the parts of the other owners that this needs.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    pub(crate) runner: &'a HookRunner,
    pub(crate) sessions: &'a SessionService,
    pub(crate) facts: &'a dyn FactFinder,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) full_binary: Option<&'a dyn FullBinary>,
}

impl Runtime {
    pub(crate) fn run_context(&self) -> RunContext<'_> {
        RunContext {
            runner: &self.runner,
            sessions: &self.sessions,
            facts: &*self.catalog.facts,
            clock: &*self.clock,
            full_binary: self.catalog.full_binary.as_deref(),
        }
    }
}
