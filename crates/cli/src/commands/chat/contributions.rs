//! What hooks have added to the user's last prompt, kept to be looked at: what is for one request alone is in the
//! conversation no longer when somebody asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_agent::Talk;
use tenter_contract::Role;
use tenter_coordinator::{ContextMessage, ContextStore, Provenance, StoreError};

use crate::commands::chat::slash::when;

/// The texts since the last prompt, and those of the beginning for the first.
#[derive(Clone, Default)]
pub(super) struct Contributions {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    prompted: bool,
    texts: Vec<(Provenance, String)>,
}

impl Contributions {
    /// The user says something. What hooks said when the session began belongs to the first prompt.
    pub(super) fn next_prompt(&self) {
        let mut inner = self.inner();
        if std::mem::replace(&mut inner.prompted, true) {
            inner.texts.clear();
        }
    }

    /// Who said what.
    pub(super) fn texts(&self) -> Vec<(String, String)> {
        let of = |(by, text): &(Provenance, String)| {
            (format!("{} ({})", by.hook_name, when(&by.event)), text.clone())
        };
        self.inner().texts.iter().map(of).collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A conversation of which it is noted what hooks add.
pub(super) struct Noted {
    pub(super) talk: Arc<Talk>,
    pub(super) contributions: Contributions,
}

impl ContextStore for Noted {
    fn add(&self, message: ContextMessage) -> Result<(), StoreError> {
        let text = message.hook.clone().map(|by| (by, message.content.clone()));
        ContextStore::add(&*self.talk, message)?;
        self.contributions.inner().texts.extend(text);
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        self.talk.messages()
    }

    fn takes(&self, role: Role) -> bool {
        self.talk.takes(role)
    }
}
