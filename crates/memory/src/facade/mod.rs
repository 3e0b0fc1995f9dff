//! The memory as everybody else sees it: one method per operation.

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

/// What the memory works with.
#[derive(Clone)]
pub struct MemoryConfig {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Makes vectors of texts.
    pub embedder: Arc<dyn Embedder>,
    /// Values that are hidden wherever they are; see `tenter_store::audit::redact::secret_values`.
    pub secrets: Vec<String>,
}

/// What is tried, what was learned, and how to find it again.
///
/// Opening it touches nothing. Entries that are being worked on need files alone; the database is opened by the first
/// operation that needs it, and if that cannot be done, this operation says so and the others go on.
pub struct Memory {
    active: ActiveFolder,
    state: StateFolder,
    clock: Arc<dyn Clock>,
    embedder: Arc<dyn Embedder>,
    store: Mutex<Option<Store>>,
    /// Whether the database could not be opened the last time it was tried.
    unusable: AtomicBool,
    notices: Mutex<Vec<String>>,
    notified_errors: AtomicBool,
}

impl Memory {
    /// The memory below this state folder.
    pub fn open(state: StateFolder, means: MemoryConfig) -> Self {
        Self {
            active: ActiveFolder::new(state.clone(), Cleaner::hiding(means.secrets)),
            state,
            clock: means.clock,
            embedder: means.embedder,
            store: Mutex::default(),
            unusable: AtomicBool::default(),
            notices: Mutex::default(),
            notified_errors: AtomicBool::default(),
        }
    }

    /// What the user must know and has not been shown, such as that something was quarantined and where. Asked for once.
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

    /// Does something with the database; the caller takes up what waits, if that can be done at once. Where nothing
    /// can be stored something can still be found.
    fn with_store<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.with_store_as_it_is(|store| {
            let _ = store.at_once(|store| self.take_up(store));
            work(store)
        })
    }

    fn read<T>(&self, look: impl FnOnce(&Store) -> Result<T, MemoryError>) -> Result<T, MemoryError> {
        self.with_store(|store| store.with_snapshot(look))
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
                let mut tell = |notice| notices.push(notice);
                let opened = Store::open(&self.state, Arc::clone(&self.embedder), &mut tell);
                self.unusable.store(opened.is_err(), Ordering::Relaxed);
                empty.insert(opened?)
            }
        };
        let done = work(store);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).extend(store.take_notices());
        done
    }

    /// Stores what waits. It is removed from there only when it is on disk here.
    fn take_up(&self, store: &mut Store) -> Result<(), MemoryError> {
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

    /// Brings an entry that was just ended into the store; if that cannot be used, the entry stays where it waits.
    fn store_finished(&self) -> StoreStatus {
        match self.with_store_as_it_is(|store| self.take_up(store)) {
            Ok(()) => StoreStatus::Stored,
            Err(error) => {
                StoreStatus::Waiting { why: format!("{error}; what was resolved waits and is not lost") }
            }
        }
    }
}
