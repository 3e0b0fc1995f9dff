//! The learning memory below the state folder. Only the full binary has it, because it needs a database.

use std::sync::Arc;

use tenter_contract::ports::{Clock, HookExecutor};
use tenter_executors::HookState;
use tenter_memory::{Memory, MemoryConfig, MemoryExecutor, selected_model};
use tenter_store::StateFolder;
use tenter_store::audit::redact;

use crate::clock::SystemClock;
use crate::fallback_state;

/// Opens the memory below a state folder, with the selected model.
pub fn open(state: StateFolder) -> Memory {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let secrets = redact::secret_values(std::env::vars_os());
    let embedder = selected_model(&state);
    Memory::open(state, MemoryConfig { clock, embedder, secrets })
}

pub(crate) fn executor(kept: &HookState) -> Box<dyn HookExecutor> {
    Box::new(match &kept.state {
        Some(state) => MemoryExecutor::new(
            open(state.clone()),
            state.clone(),
            Arc::clone(&kept.sessions),
            fallback_state::folder(),
        ),
        None => MemoryExecutor::without_state(),
    })
}
