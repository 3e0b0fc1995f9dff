//! The public interface of memory: one method per operation.

mod sessions;
mod entries;
mod experiences;
mod memories;
mod journal;
mod transfer;
mod projects;
mod waiting;
mod health;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;
use tenter_ghap::{ActiveFolder, Cleaner};
use tenter_store::StateFolder;

use crate::embedder::Embedder;
use crate::error::MemoryError;
use crate::store::Store;
use crate::types::{Experience, StoreStatus};
use waiting::Later;

pub use health::Health;
pub use sessions::{Ending, NewSession};

/// The configuration of memory.
#[derive(Clone)]
pub struct MemoryConfig {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Embeds texts.
    pub embedder: Arc<dyn Embedder>,
    /// Secret values to remove; see `tenter_store::audit::redact::secret_values`.
    pub secrets: Vec<String>,
}

/// Active entries, and the store of experiences, memories and the journal.
///
/// Opening it touches no file. Active entries need no database. The first operation that needs the database opens it; if
/// that fails, only this operation fails.
pub struct Memory {
    active: ActiveFolder,
    state: StateFolder,
    clock: Arc<dyn Clock>,
    embedder: Arc<dyn Embedder>,
    store: Mutex<Option<Store>>,
    /// Whether the last attempt to open the database failed.
    unusable: AtomicBool,
    notices: Mutex<Vec<String>>,
    notified_errors: AtomicBool,
}

impl Memory {
    /// The memory in this state folder.
    pub fn open(state: StateFolder, config: MemoryConfig) -> Self {
        Self {
            active: ActiveFolder::new(state.clone(), Cleaner::hiding(config.secrets)),
            state,
            clock: config.clock,
            embedder: config.embedder,
            store: Mutex::default(),
            unusable: AtomicBool::default(),
            notices: Mutex::default(),
            notified_errors: AtomicBool::default(),
        }
    }

    /// Takes the notices for the user, such as that a file was quarantined.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        notices.extend(self.active.take_notices());
        let trouble = self.embedder.trouble().filter(|_| !self.notified_errors.load(Ordering::Relaxed));
        if let Some(trouble) = trouble {
            self.notified_errors.store(true, Ordering::Relaxed);
            notices.push(trouble.to_owned());
        }
        notices
    }

    pub(crate) fn entries(&self) -> &ActiveFolder {
        &self.active
    }

    fn notify(&self, notice: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn clean(&self, text: &str) -> String {
        self.active.cleaner().clean(text)
    }

    /// Runs `work` with the store, after storing waiting items if that is possible without waiting. A read-only store can
    /// still be searched.
    fn with_store<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.with_store_as_it_is(|store| {
            let _ = store.at_once(|store| self.store_waiting(store));
            work(store)
        })
    }

    fn read<T>(&self, read: impl FnOnce(&Store) -> Result<T, MemoryError>) -> Result<T, MemoryError> {
        self.with_store(|store| store.with_snapshot(read))
    }

    fn with_store_as_it_is<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let mut slot = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.as_ref().is_some_and(|store| !store.is_still_there()) {
            *slot = None;
        }
        let store = match &mut *slot {
            Some(store) => store,
            empty => {
                let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
                let mut notify = |notice| notices.push(notice);
                let opened = Store::open(&self.state, Arc::clone(&self.embedder), &mut notify);
                self.unusable.store(opened.is_err(), Ordering::Relaxed);
                empty.insert(opened?)
            }
        };
        let done = work(store);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).extend(store.take_notices());
        done
    }

    /// Stores waiting items, and removes them from the queue when they are on disk.
    fn store_waiting(&self, store: &mut Store) -> Result<(), MemoryError> {
        let waiting = self.active.waiting();
        let mut taken = waiting.read()?;
        if taken.is_empty() {
            return Ok(());
        }
        let experiences: Vec<Experience> =
            taken.entries.iter().cloned().map(|entry| Experience { entry, superseded_by: None }).collect();
        store.add_experiences(&experiences)?;
        for other in std::mem::take(&mut taken.others) {
            match serde_json::from_value::<Later>(other.clone()) {
                Ok(later) => later.store(store)?,
                Err(_) => taken.refuse(&other),
            }
        }
        waiting.remove(&taken)
    }

    /// Stores a resolved entry; if the store cannot be used, the entry keeps waiting.
    fn store_finished(&self) -> StoreStatus {
        match self.with_store_as_it_is(|store| self.store_waiting(store)) {
            Ok(()) => StoreStatus::Stored,
            Err(error) => {
                StoreStatus::Waiting { why: format!("{error}; what was resolved waits and is not lost") }
            }
        }
    }
}
