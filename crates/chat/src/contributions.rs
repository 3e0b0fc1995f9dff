//! Context that hooks added to the last prompt, for `/context`. Ephemeral texts are no longer in the conversation when
//! the user asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_agent::{HiddenKeys, SharedConversation};
use tenter_contract::{EventKind, InjectionStatus, Role, SessionId, Timestamp};
use tenter_coordinator::{ContextMessage, ContextStore, Provenance, StoreError};
use tenter_store::sessions::ledger::LedgerLine;

use crate::slash::event_label;
use tenter_console::error::CliError;
use tenter_console::injections::ledger;

/// The texts since the last prompt; for the first prompt, those of the session start too.
#[derive(Clone, Default)]
pub(crate) struct Contributions {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// Time of the prompt. None at the first prompt, so that texts of the session start belong to it.
    since: Option<Timestamp>,
    prompted: bool,
    texts: Vec<(Provenance, String)>,
}

impl Contributions {
    pub(crate) fn next_prompt(&self, at: Timestamp) {
        let mut inner = self.inner();
        if std::mem::replace(&mut inner.prompted, true) {
            inner.texts.clear();
            inner.since = Some(at);
        }
    }

    pub(crate) fn begin_anew(&self) {
        *self.inner() = Inner::default();
    }

    /// Hooks whose text was already in the context and was not added again, from the ledger.
    pub(crate) fn repeated(&self, session: &SessionId) -> Result<Vec<String>, CliError> {
        let since = self.inner().since.map_or(0, |at| at.unix_ms);
        let ledger = ledger(session)?;
        let is_it = |line: &&LedgerLine| {
            let at = Timestamp::parse(&line.timestamp).map_or(0, |at| at.unix_ms);
            at >= since && line.status == InjectionStatus::LeftOut.as_str()
        };
        let mut named: Vec<String> = Vec::new();
        for line in ledger.lines.iter().filter(is_it) {
            let hook = line.hook.split_once('/').map_or(line.hook.as_str(), |(_, name)| name);
            let event = EventKind::parse(&line.event).map_or(line.event.clone(), |event| event_label(&event));
            let who = format!("{hook} ({event})");
            if !named.contains(&who) {
                named.push(who);
            }
        }
        Ok(named)
    }

    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let of = |(by, text): &(Provenance, String)| {
            (format!("{} ({})", by.hook_name, event_label(&by.event)), text.clone())
        };
        self.inner().texts.iter().map(of).collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Noted {
    pub(crate) talk: Arc<SharedConversation>,
    pub(crate) contributions: Contributions,
    pub(crate) keys: HiddenKeys,
}

impl ContextStore for Noted {
    fn add(&self, mut message: ContextMessage) -> Result<(), StoreError> {
        self.keys.hide(&mut message.content);
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
