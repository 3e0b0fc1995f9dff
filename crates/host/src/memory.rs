//! What was learned, below the state folder, for the whole program alone: it needs a database.

use std::path::PathBuf;
use std::sync::Arc;

use tenter_contract::ports::{Clock, HookExecutor};
use tenter_executors::Keepsakes;
use tenter_memory::{Means, Memory, MemoryExecutor, chosen_model};
use tenter_store::StateFolder;
use tenter_store::audit::redact;

use crate::clock::SystemClock;

/// The memory below this state folder, with the model that was chosen. Nothing else is touched yet.
pub fn open(state: StateFolder) -> Memory {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let secrets = redact::secret_values(std::env::vars_os());
    let embedder = chosen_model(&state);
    Memory::open(state, Means { clock, embedder, secrets })
}

/// Runs its hooks.
pub(crate) fn executor(kept: &Keepsakes) -> Box<dyn HookExecutor> {
    Box::new(match &kept.state {
        Some(state) => {
            MemoryExecutor::new(open(state.clone()), state.clone(), Arc::clone(&kept.sessions), beside())
        }
        None => MemoryExecutor::without_state(),
    })
}

/// A folder of our own that lasts as long as the machine runs, for what must be known from one event to the next while
/// the state folder cannot be written.
fn beside() -> Option<StateFolder> {
    let of_the_user =
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let path = match of_the_user {
        Some(path) => path.join("tenter"),
        None => std::env::temp_dir().join(format!("tenter-{}", rustix::process::geteuid().as_raw())),
    };
    // Anybody can lay a link there.
    let is_ours = std::fs::symlink_metadata(&path).map_or(true, |found| found.is_dir());
    is_ours.then(|| StateFolder::new(path))
}
