//! What was learned, below the state folder, for the whole program alone: it needs a database.

use std::sync::Arc;

use tenter_contract::ports::{Clock, HookExecutor};
use tenter_executors::Keepsakes;
use tenter_memory::{Means, Memory, MemoryExecutor, StaticModel};
use tenter_store::StateFolder;
use tenter_store::audit::redact;

use crate::clock::SystemClock;

/// The memory below this state folder. Nothing is touched yet.
pub fn open(state: StateFolder) -> Memory {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let secrets = redact::secret_values(std::env::vars_os());
    Memory::open(state, Means { clock, embedder: Arc::new(StaticModel), secrets })
}

/// Runs its hooks.
pub(crate) fn executor(kept: &Keepsakes) -> Box<dyn HookExecutor> {
    Box::new(match &kept.state {
        Some(state) => MemoryExecutor::new(open(state.clone()), state.clone(), Arc::clone(&kept.sessions)),
        None => MemoryExecutor::without_state(),
    })
}
