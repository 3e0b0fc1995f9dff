//! The memory as everybody else sees it: one method per operation.

mod sessions;
mod entries;
mod experiences;
mod memories;
mod journal;
mod moving;

use std::sync::Arc;

use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;
use tenter_ghap::{ActiveFolder, Cleaner};
use tenter_store::StateFolder;

use crate::embedder::Embedder;

pub use sessions::{Ending, NewSession};

/// What the memory works with.
#[derive(Clone)]
pub struct Means {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes vectors of texts.
    pub embedder: Arc<dyn Embedder>,
    /// Values that are hidden wherever they stand; see `tenter_store::audit::redact::secret_values`.
    pub secrets: Vec<String>,
}

/// What is tried, what was learned, and how to find it again.
///
/// Opening it touches nothing. Entries that are being worked on need files alone; the database is opened by the first
/// operation that needs it, and if that cannot be done, this operation says so and the others go on.
pub struct Memory {
    active: ActiveFolder,
    clock: Arc<dyn Clock>,
    embedder: Arc<dyn Embedder>,
}

impl Memory {
    /// The memory below this state folder.
    pub fn open(state: StateFolder, means: Means) -> Self {
        let active = ActiveFolder::new(state, Cleaner::hiding(means.secrets));
        Self { active, clock: means.clock, embedder: means.embedder }
    }

    /// What the user must know and has not been told, such as that something waits to be stored and why. Asked for once.
    pub fn take_notices(&self) -> Vec<String> {
        self.active.take_notices()
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
