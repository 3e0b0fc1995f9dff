//! Where the conversation is kept, and what a message in it looks like.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use tenter_contract::{EventKind, Role, Strategy, Timestamp};

/// Keeps the conversation that the program sends to its model.
///
/// Duties: a message is kept whole or not at all, and where it is not, `add` says why; messages come back in
/// the order in which they were added; several threads add at once; nothing is emitted from within `add`, because the
/// session waits for it. A message that is `ephemeral` is for the
/// next request to the model alone. Text beside a tool's result goes there if `strategy` says so and the model
/// has a place for it.
pub trait ContextStore: Send + Sync {
    /// Adds a message at the end.
    fn add(&self, message: ContextMessage) -> Result<(), StoreError>;

    /// All messages, in order.
    fn messages(&self) -> Vec<ContextMessage>;

    /// Whether a message may have this role; if not, it comes as `system`, and `requested_role` keeps what was
    /// wanted.
    fn takes(&self, role: Role) -> bool {
        let _ = role;
        true
    }
}

impl<T: ContextStore + ?Sized> ContextStore for Arc<T> {
    fn add(&self, message: ContextMessage) -> Result<(), StoreError> {
        (**self).add(message)
    }

    fn messages(&self) -> Vec<ContextMessage> {
        (**self).messages()
    }

    fn takes(&self, role: Role) -> bool {
        (**self).takes(role)
    }
}

/// Why a message could not be kept.
#[derive(Debug)]
pub struct StoreError(Box<dyn Error + Send + Sync>);

impl StoreError {
    /// In the store's own words, or with its own error.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextMessage {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// When.
    pub at: Timestamp,
    /// Where it goes, if it is a hook's.
    pub strategy: Strategy,
    /// Only for the next request to the model.
    pub ephemeral: bool,
    /// Which hooks it comes from; none if the program, its user or its model said it.
    pub hook: Option<Provenance>,
}

/// Where a hook's message comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The hook; of several, their names in order.
    pub hook_name: String,
    /// The event at which they were asked.
    pub event: EventKind,
    /// When that was.
    pub timestamp: Timestamp,
    /// The role the hook wanted, whether or not the store has it.
    pub requested_role: Role,
    /// The tool call that the event was about.
    pub call_id: Option<String>,
    /// Its parts, in order: one for each injection.
    pub parts: Vec<Part>,
}

impl Provenance {
    /// Reads what [`ContextMessage::metadata`] wrote, for a store that keeps messages on disk; none if it is no hook's.
    pub fn from_metadata(metadata: &Map<String, Value>) -> Option<Self> {
        let text = |key: &str| metadata.get(key).and_then(Value::as_str);
        if text("source") != Some("hook") {
            return None;
        }
        let time = |value: &Value| value.as_str().and_then(Timestamp::parse);
        let part = |part: &Value| {
            Some(Part {
                hook_name: part["hook_name"].as_str()?.to_owned(),
                bytes: part["bytes"].as_u64().and_then(|bytes| usize::try_from(bytes).ok())?,
                timestamp: time(&part["timestamp"])?,
            })
        };
        let parts = metadata.get("parts").and_then(Value::as_array);
        Some(Self {
            hook_name: text("hook_name")?.to_owned(),
            event: EventKind::parse(text("event")?)?,
            timestamp: time(metadata.get("timestamp")?)?,
            requested_role: Role::parse(text("requested_role")?)?,
            call_id: text("call_id").map(str::to_owned),
            parts: parts.map(|parts| parts.iter().filter_map(part).collect()).unwrap_or_default(),
        })
    }
}

/// One injection in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose.
    pub hook_name: String,
    /// How long it is.
    pub bytes: usize,
    /// When it was made.
    pub timestamp: Timestamp,
}

impl ContextMessage {
    /// A message that is no hook's.
    pub fn new(role: Role, content: impl Into<String>, at: Timestamp) -> Self {
        Self { role, content: content.into(), at, strategy: Strategy::Auto, ephemeral: false, hook: None }
    }

    /// Whether a hook said it.
    pub fn is_from_hook(&self) -> bool {
        self.hook.is_some()
    }

    /// `source`, `hook_name`, `event`, `timestamp` and `requested_role` of a hook's message, `call_id` if it is about
    /// a tool call, and `parts` if it has several; empty for any other.
    pub fn metadata(&self) -> Map<String, Value> {
        let Some(hook) = &self.hook else { return Map::new() };
        let mut metadata = Map::from_iter([
            ("source".to_owned(), json!("hook")),
            ("hook_name".to_owned(), json!(hook.hook_name)),
            ("event".to_owned(), json!(hook.event.as_str())),
            ("timestamp".to_owned(), json!(hook.timestamp.to_string())),
            ("requested_role".to_owned(), json!(hook.requested_role.as_str())),
        ]);
        if let Some(call_id) = &hook.call_id {
            metadata.insert("call_id".to_owned(), json!(call_id));
        }
        if hook.parts.len() > 1 {
            metadata.insert("parts".to_owned(), hook.parts.iter().map(Part::to_json).collect());
        }
        metadata
    }

    /// `{role, content, metadata, timestamp}`.
    pub fn to_json(&self) -> Value {
        json!({
            "role": self.role.as_str(),
            "content": self.content,
            "metadata": self.metadata(),
            "timestamp": self.at.to_string(),
        })
    }
}

impl Part {
    fn to_json(&self) -> Value {
        let Self { hook_name, bytes, timestamp } = self;
        json!({ "hook_name": hook_name, "bytes": bytes, "timestamp": timestamp.to_string() })
    }
}

/// A conversation in memory.
#[derive(Debug, Default)]
pub struct MemoryContext {
    messages: Mutex<Vec<ContextMessage>>,
}

impl MemoryContext {
    /// All messages for a request that is about to be made. What was only for this one is not in the next.
    pub fn next_request(&self) -> Vec<ContextMessage> {
        let mut messages = self.locked();
        let request = messages.clone();
        messages.retain(|message| !message.ephemeral);
        request
    }

    fn locked(&self) -> MutexGuard<'_, Vec<ContextMessage>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ContextStore for MemoryContext {
    fn add(&self, message: ContextMessage) -> Result<(), StoreError> {
        self.locked().push(message);
        Ok(())
    }

    fn messages(&self) -> Vec<ContextMessage> {
        self.locked().clone()
    }
}
