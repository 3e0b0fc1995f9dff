//! Items that wait while the store is locked or damaged, so that nothing is lost.

use serde::{Deserialize, Serialize};

use super::Memory;
use crate::error::{ErrorKind, MemoryError};
use crate::store::Store;
use crate::types::{JournalEntry, MemoryItem};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Later {
    Memory {
        memory: MemoryItem,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<String>,
    },
    Page {
        journal: JournalEntry,
    },
}

impl Later {
    fn id(&self) -> &str {
        match self {
            Self::Memory { memory, .. } => &memory.id,
            Self::Page { journal } => &journal.id,
        }
    }

    /// Stores it; a second time changes nothing.
    pub(super) fn store(&self, store: &mut Store) -> Result<(), MemoryError> {
        match self {
            Self::Memory { memory, instead_of } => {
                if store.add_memories(std::slice::from_ref(memory))? == 0 {
                    store.describe_anew(memory)?;
                }
                match instead_of.as_ref().map(|old| store.supersede(old, &memory.id)) {
                    // The old one was forgotten meanwhile.
                    Some(Err(error)) if error.kind == ErrorKind::NotFound => Ok(()),
                    superseded => superseded.unwrap_or(Ok(())),
                }
            }
            Self::Page { journal } => store.add_pages(std::slice::from_ref(journal)).map(|_| ()),
        }
    }
}

impl Memory {
    /// Stores an item. If the store cannot be used, the item waits and the user is notified; fails if it cannot wait either.
    pub(super) fn store_or_wait(&self, later: &Later) -> Result<(), MemoryError> {
        let refused = match self.with_store(|store| later.store(store)) {
            Err(error) if error.kind == ErrorKind::Internal => error,
            stored => return stored,
        };
        let line = serde_json::to_value(later).map_err(|cause| MemoryError::internal(cause.to_string()))?;
        self.active.waiting().put(&line).map_err(|error| {
            let message =
                format!("it is not stored: {}; nor can it wait: {}", refused.message, error.message);
            MemoryError { message, ..error }
        })?;
        self.notify(format!("{refused}; {} waits and is not lost", later.id()));
        Ok(())
    }
}
