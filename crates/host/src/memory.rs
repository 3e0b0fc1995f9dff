//! What was learned, below the state folder, for the whole program alone: it needs a database.

use std::sync::Arc;

use tenter_contract::ports::{Clock, HookExecutor};
use tenter_executors::HookState;
use tenter_memory::{Memory, MemoryConfig, MemoryExecutor, selected_model};
use tenter_store::StateFolder;
use tenter_store::audit::redact;

use crate::clock::SystemClock;
use crate::meanwhile::beside;

/// The memory below this state folder, with the model that was chosen. Nothing else is touched yet.
pub fn open(state: StateFolder) -> Memory {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let secrets = redact::secret_values(std::env::vars_os());
    let embedder = selected_model(&state);
    Memory::open(state, MemoryConfig { clock, embedder, secrets })
}

/// Runs its hooks.
pub(crate) fn executor(kept: &HookState) -> Box<dyn HookExecutor> {
    Box::new(match &kept.state {
        Some(state) => {
            MemoryExecutor::new(open(state.clone()), state.clone(), Arc::clone(&kept.sessions), beside())
        }
        None => MemoryExecutor::without_state(),
    })
}
