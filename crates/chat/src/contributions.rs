//! What hooks have added to the user's last prompt, kept to be looked at: what is for one request alone is in the
//! conversation no longer when a user asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_agent::{HiddenKeys, SharedConversation};
use tenter_contract::{EventKind, InjectionStatus, Role, SessionId, Timestamp};
use tenter_coordinator::{ContextMessage, ContextStore, Provenance, StoreError};
use tenter_store::sessions::ledger::LedgerLine;

use crate::slash::when;
use tenter_console::error::CliError;
use tenter_console::injections::ledger;

/// The texts since the last prompt, and those of the beginning for the first.
#[derive(Clone, Default)]
pub(crate) struct Contributions {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// When the user said something, if that was not the first time: what hooks said when the session began belongs to
    /// the first prompt.
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

    /// Who said what the context had already, and so was not given once more: the ledger knows.
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
            let event = EventKind::parse(&line.event).map_or(line.event.clone(), |event| when(&event));
            let who = format!("{hook} ({event})");
            if !named.contains(&who) {
                named.push(who);
            }
        }
        Ok(named)
    }

    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let of = |(by, text): &(Provenance, String)| {
            (format!("{} ({})", by.hook_name, when(&by.event)), text.clone())
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
