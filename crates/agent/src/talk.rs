//! The conversation, as the model reads it and as hooks add to it.
//!
//! Results of calls stand right behind the reply that wanted them, because every API wants it so. What hooks say while
//! the calls are under way is therefore held back until the results are there, and goes behind all of them. A note knows
//! the call it is about, and the model reads it with that call's result.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenter_contract::{Role, Strategy, Timestamp};
use tenter_coordinator::{ContextMessage, ContextStore, Provenance, StoreError};
use tenter_models::talk::{Conversation, Item, Note, ToolResult};

use crate::journal::{Entry, Journal};

/// A conversation to which several threads add.
pub struct Talk {
    inner: Mutex<Inner>,
}

struct Inner {
    /// Shared with the request that is under way, and copied only if something is said meanwhile.
    conversation: Arc<Conversation>,
    /// When each item came, and from which hooks; as many as there are items.
    origins: Vec<Origin>,
    /// What hooks said since a reply wanted tools; `None` if none are under way.
    held: Option<Vec<(Note, Origin)>>,
    journal: Journal,
}

/// When an item came into the conversation, and from whom.
#[derive(Clone, Debug)]
struct Origin {
    at: Timestamp,
    hook: Option<Provenance>,
}

impl Origin {
    /// What a journal says about an item; only notes have a time there.
    fn of_resumed(item: &Item) -> Self {
        let hook = match item {
            Item::Note(note) => Provenance::from_metadata(&note.metadata),
            Item::Prompt(_) | Item::Reply(_) | Item::Result(_) => None,
        };
        Self { at: hook.as_ref().map_or_else(Timestamp::default, |hook| hook.timestamp), hook }
    }
}

/// Where an event that is about a call, but has no tool, names it in its data.
pub(crate) const CALL_ID: &str = "tool_call_id";

impl Talk {
    /// A conversation that begins, or goes on with what the journal has.
    pub fn new(system: String, instructions: String, journal: Journal) -> Self {
        let items = journal.resumed();
        let origins = items.iter().map(Origin::of_resumed).collect();
        let conversation = Arc::new(Conversation { system, instructions, items });
        Self { inner: Mutex::new(Inner { conversation, origins, held: None, journal }) }
    }

    /// Adds what happened next.
    pub fn add(&self, item: Item, at: Timestamp) -> Result<(), StoreError> {
        self.locked().push(item, Origin { at, hook: None })
    }

    /// A reply wants tools: what hooks say waits for the results.
    pub fn calls_begin(&self, reply: Item, at: Timestamp) -> Result<(), StoreError> {
        let mut inner = self.locked();
        inner.push(reply, Origin { at, hook: None })?;
        inner.held = Some(Vec::new());
        Ok(())
    }

    /// The results are there, and what hooks said meanwhile goes behind them.
    pub fn calls_end(&self, results: Vec<ToolResult>, at: Timestamp) -> Result<(), StoreError> {
        let mut inner = self.locked();
        let held = inner.held.take().unwrap_or_default();
        for result in results {
            inner.push(Item::Result(result), Origin { at, hook: None })?;
        }
        for (note, origin) in held {
            inner.push(Item::Note(note), origin)?;
        }
        Ok(())
    }

    /// The conversation as it stands.
    pub fn now(&self) -> Arc<Conversation> {
        Arc::clone(&self.locked().conversation)
    }

    /// A request was answered: what was for that one alone is gone.
    pub fn answered(&self) {
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

    /// Everything so far becomes these words.
    pub fn becomes(&self, summary: String, at: Timestamp) -> Result<(), StoreError> {
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
    /// What cannot be kept is not said: after a crash the conversation must be the one the model knows.
    fn push(&mut self, item: Item, origin: Origin) -> Result<(), StoreError> {
        // What is for one request alone has no place in a session that is resumed.
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

impl ContextStore for Talk {
    fn add(&self, message: ContextMessage) -> Result<(), StoreError> {
        let metadata = message.metadata();
        let ContextMessage { role, content, at, strategy, ephemeral, hook } = message;
        let call_id = hook.as_ref().and_then(|hook| hook.call_id.clone());
        let note = Note { role, strategy, ephemeral, text: content, call_id, metadata };
        let mut inner = self.locked();
        let origin = Origin { at, hook };
        match &mut inner.held {
            Some(held) => held.push((note, origin)),
            None => inner.push(Item::Note(note), origin)?,
        }
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        let inner = self.locked();
        let said = inner.conversation.items.iter().zip(&inner.origins).filter_map(|(item, origin)| {
            let new = |role, text: String| ContextMessage::new(role, text, origin.at);
            match item {
                Item::Prompt(text) => Some(new(Role::User, text.clone())),
                Item::Reply(reply) => Some(new(Role::Assistant, reply.text())),
                Item::Note(note) => Some(message(note, origin)),
                Item::Result(_) => None,
            }
        });
        let held = inner.held.iter().flatten().map(|(note, origin)| message(note, origin));
        said.chain(held).collect()
    }
}

fn message(note: &Note, origin: &Origin) -> ContextMessage {
    let Note { role, strategy, ephemeral, text, .. } = note;
    let (role, strategy, ephemeral) = (*role, *strategy, *ephemeral);
    ContextMessage {
        role,
        content: text.clone(),
        at: origin.at,
        strategy,
        ephemeral,
        hook: origin.hook.clone(),
    }
}

/// What the user is to be taken to have said, although a hook did: the next task of an agent that wanted to stop.
pub(crate) fn task(text: String) -> Item {
    Item::Note(Note::new(Role::User, Strategy::UserMessage, text))
}
