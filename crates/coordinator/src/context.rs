//! The store of the conversation, and its messages.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use tenter_contract::{EventKind, Role, Strategy, Timestamp};

/// Keeps the conversation that the program sends to its model.
///
/// Duties: a message is kept whole, or `add` returns an error; messages come back in the order in which they were
/// added; several threads add at once; `add` emits no event, because the session waits for it. A message that is
/// `ephemeral` is for the next request to the model alone. Text with the strategy `tool_result` goes next to the
/// tool's result if the model has a place for it.
pub trait ContextStore: Send + Sync {
    /// Adds a message at the end.
    fn add(&self, message: ContextMessage) -> Result<(), StoreError>;

    /// All messages, in order.
    fn messages(&self) -> Vec<ContextMessage>;

    /// Whether a message may have this role. If not, it comes as `system`, and `requested_role` has the original.
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
    /// From a text or an error.
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
    /// Its role.
    pub role: Role,
    /// The text.
    pub content: String,
    /// When.
    pub at: Timestamp,
    /// Where it goes, if it is a hook's.
    pub strategy: Strategy,
    /// Only for the next request to the model.
    pub ephemeral: bool,
    /// The hooks it comes from; `None` for messages of the program, its user or its model.
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
    /// Reads what [`ContextMessage::metadata`] wrote, for a store that keeps messages on disk. `None` if no hook
    /// wrote the message.
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
    /// A message that no hook wrote.
    pub fn new(role: Role, content: impl Into<String>, at: Timestamp) -> Self {
        Self { role, content: content.into(), at, strategy: Strategy::Auto, ephemeral: false, hook: None }
    }

    /// Whether a hook wrote it.
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
    /// All messages for the next request to the model. Ephemeral messages are removed afterwards.
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
