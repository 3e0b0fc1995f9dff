//! The conversation that the model reads and that hooks add to. Results follow the reply with their calls, because every
//! API requires it. Notes that hooks add meanwhile go behind the results. A note names its call, and the model reads it
//! with the result of that call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_contract::{Role, Strategy, Timestamp};
use tenter_coordinator::{ContextMessage, ContextStore, Provenance, StoreError};
use tenter_models::client::{Conversation, Item, Note, ToolResult};

use crate::journal::{Entry, Journal};

/// A conversation to which several threads add.
pub struct SharedConversation {
    inner: Mutex<Inner>,
}

struct Inner {
    /// Shared with the request in flight; copied only if an item is added meanwhile.
    conversation: Arc<Conversation>,
    /// The time and hook of each item.
    origins: Vec<Origin>,
    /// Notes of hooks since a reply with calls; `None` if no call is open.
    waiting_notes: Option<Vec<(Note, Origin)>>,
    journal: Journal,
}

/// The time and source of an item.
#[derive(Clone, Debug)]
struct Origin {
    at: Timestamp,
    hook: Option<Provenance>,
}

impl Origin {
    /// The origin of an item from a journal, where only notes have a time.
    fn from_journal(item: &Item) -> Self {
        let note = if let Item::Note(note) = item { Some(note) } else { None };
        let hook = note.and_then(|note| Provenance::from_metadata(&note.metadata));
        Self { at: hook.as_ref().map_or_else(Timestamp::default, |hook| hook.timestamp), hook }
    }
}

/// The key of the call in the data of an event that has no tool.
pub(crate) const CALL_ID: &str = "tool_call_id";

impl SharedConversation {
    /// A conversation that starts, or continues from the journal.
    pub fn new(system: String, instructions: String, journal: Journal) -> Self {
        let items = journal.resumed();
        let origins = items.iter().map(Origin::from_journal).collect();
        let conversation = Arc::new(Conversation { system, instructions, items });
        Self { inner: Mutex::new(Inner { conversation, origins, waiting_notes: None, journal }) }
    }

    /// Adds the next item.
    pub fn add(&self, item: Item, at: Timestamp) -> Result<(), StoreError> {
        self.locked().push(item, Origin { at, hook: None })
    }

    /// Adds a reply with calls. Notes wait for the results.
    pub fn calls_begin(&self, reply: Item, at: Timestamp) -> Result<(), StoreError> {
        let mut inner = self.locked();
        inner.push(reply, Origin { at, hook: None })?;
        inner.waiting_notes = Some(Vec::new());
        Ok(())
    }

    /// Adds the results, and the notes that waited for them.
    pub fn calls_end(&self, results: Vec<ToolResult>, at: Timestamp) -> Result<(), StoreError> {
        let mut inner = self.locked();
        let waiting = inner.waiting_notes.take().unwrap_or_default();
        for result in results {
            inner.push(Item::Result(result), Origin { at, hook: None })?;
        }
        for (note, origin) in waiting {
            inner.push(Item::Note(note), origin)?;
        }
        Ok(())
    }

    /// A snapshot of the conversation.
    pub fn now(&self) -> Arc<Conversation> {
        Arc::clone(&self.locked().conversation)
    }

    /// Drops the notes for one request alone.
    pub fn drop_ephemeral(&self) {
        let mut inner = self.locked();
        if !inner.conversation.items.iter().any(is_ephemeral) {
            return;
        }
        let Inner { conversation, origins, .. } = &mut *inner;
        let conversation = Arc::make_mut(conversation);
        let mut kept = conversation.items.iter().map(|item| !is_ephemeral(item));
        origins.retain(|_| kept.next().unwrap_or(true));
        conversation.items.retain(|item| !is_ephemeral(item));
    }

    /// Replaces everything by a summary.
    pub fn replace_with_summary(&self, summary: String, at: Timestamp) -> Result<(), StoreError> {
        let mut inner = self.locked();
        inner.journal.append(&Entry::Compacted)?;
        Arc::make_mut(&mut inner.conversation).items.clear();
        inner.origins.clear();
        inner.push(Item::Prompt(summary), Origin { at, hook: None })
    }

    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// An item that cannot be stored is not added, so that a resumed conversation is the one that the model knows.
    fn push(&mut self, item: Item, origin: Origin) -> Result<(), StoreError> {
        // Notes for one request alone are not part of a resumed session.
        if !is_ephemeral(&item) {
            self.journal.append(&Entry::Item(item.clone()))?;
        }
        Arc::make_mut(&mut self.conversation).add(item);
        self.origins.push(origin);
        Ok(())
    }
}

fn is_ephemeral(item: &Item) -> bool {
    matches!(item, Item::Note(note) if note.ephemeral)
}

impl ContextStore for SharedConversation {
    fn add(&self, message: ContextMessage) -> Result<(), StoreError> {
        let metadata = message.metadata();
        let ContextMessage { role, content, at, strategy, ephemeral, hook } = message;
        let call_id = hook.as_ref().and_then(|hook| hook.call_id.clone());
        let note = Note { role, strategy, ephemeral, text: content, call_id, metadata };
        let mut inner = self.locked();
        let origin = Origin { at, hook };
        match &mut inner.waiting_notes {
            Some(notes) => notes.push((note, origin)),
            None => inner.push(Item::Note(note), origin)?,
        }
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        let inner = self.locked();
        let items = inner.conversation.items.iter().zip(&inner.origins).filter_map(|(item, origin)| {
            let new = |role, text: String| ContextMessage::new(role, text, origin.at);
            match item {
                Item::Prompt(text) => Some(new(Role::User, text.clone())),
                Item::Reply(reply) => Some(new(Role::Assistant, reply.text())),
                Item::Note(note) => Some(message(note, origin)),
                Item::Result(_) => None,
            }
        });
        let waiting = inner.waiting_notes.iter().flatten().map(|(note, origin)| message(note, origin));
        items.chain(waiting).collect()
    }
}

fn message(note: &Note, origin: &Origin) -> ContextMessage {
    let Note { role, strategy, ephemeral, .. } = *note;
    let (content, hook) = (note.text.clone(), origin.hook.clone());
    ContextMessage { role, content, at: origin.at, strategy, ephemeral, hook }
}

/// A task of a hook for an agent that wanted to stop, with the role of the user.
pub(crate) fn task_note(text: String) -> Item {
    Item::Note(Note::new(Role::User, Strategy::UserMessage, text))
}
