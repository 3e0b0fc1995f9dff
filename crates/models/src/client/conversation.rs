//! A conversation with a model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenter_contract::{Role, Strategy};

use super::Reply;

/// A conversation. It only grows: text is sent again unchanged, so that the provider's prompt cache stays valid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The system prompt.
    pub system: String,
    /// The instructions of the user's and the project's files. They precede the first prompt, in the user's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// Everything since, in order.
    pub items: Vec<Item>,
}

/// A prompt, a reply, a result or a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// The user's prompt.
    Prompt(String),
    /// The model's reply.
    Reply(Reply),
    /// The result of a call.
    Result(ToolResult),
    /// A note of a hook.
    Note(Note),
}

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// Its output.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
}

/// Text that a hook adds to the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The role it speaks in.
    #[serde(with = "role")]
    pub role: Role,
    /// Where it goes.
    #[serde(with = "strategy")]
    pub strategy: Strategy,
    /// Whether it is for the next request alone.
    pub ephemeral: bool,
    /// Its text.
    pub text: String,
    /// The call it is about. The model reads it with the result of that call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Its provenance: `source`, `hook_name`, `event`, `timestamp`, `requested_role`. Models do not read it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Note {
    /// A note that lasts, without provenance.
    pub fn new(role: Role, strategy: Strategy, text: impl Into<String>) -> Self {
        let (call_id, metadata) = (None, Map::new());
        Self { role, strategy, ephemeral: false, text: text.into(), call_id, metadata }
    }
}

impl Conversation {
    /// A conversation without items.
    pub fn new(system: impl Into<String>) -> Self {
        Self { system: system.into(), ..Self::default() }
    }

    /// The same without its items.
    #[must_use]
    pub fn frame(&self) -> Self {
        let (system, instructions) = (self.system.clone(), self.instructions.clone());
        Self { system, instructions, items: Vec::new() }
    }

    /// Adds the next item.
    pub fn add(&mut self, item: Item) {
        self.items.push(item);
    }
}

/// Stores a type of the contract by its name.
macro_rules! stored_by_name {
    ($name:ident, $type:ident) => {
        mod $name {
            use serde::de::{Deserialize, Deserializer, Error};
            use serde::ser::Serializer;
            use tenter_contract::$type;

            pub(super) fn serialize<S: Serializer>(value: &$type, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(value.as_str())
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let text = String::deserialize(from)?;
                let unknown = || D::Error::custom(format!("unknown {} `{text}`", stringify!($name)));
                $type::parse(&text).ok_or_else(unknown)
            }
        }
    };
}
stored_by_name!(role, Role);
stored_by_name!(strategy, Strategy);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conversation_round_trips_through_json() {
        let note = Note { ephemeral: true, ..Note::new(Role::System, Strategy::ToolResult, "Mind the gap.") };
        let metadata = json!({"source": "hook", "hook_name": "lint"}).as_object().cloned().unwrap();
        let from_hook = Note {
            call_id: Some("c1".to_owned()),
            metadata,
            ..Note::new(Role::System, Strategy::Auto, "Line 4 is too long.")
        };
        let mut conversation = Conversation::new("Be brief.");
        conversation.add(Item::Prompt("Hello".to_owned()));
        conversation.add(Item::Note(note));
        conversation.add(Item::Note(from_hook));
        let stored = serde_json::to_value(&conversation).unwrap();
        assert_eq!(
            stored,
            json!({"system": "Be brief.", "items": [
                {"prompt": "Hello"},
                {"note": {"role": "system", "strategy": "tool_result", "ephemeral": true, "text": "Mind the gap."}},
                {"note": {"role": "system", "strategy": "auto", "ephemeral": false, "text": "Line 4 is too long.",
                    "call_id": "c1", "metadata": {"source": "hook", "hook_name": "lint"}}},
            ]})
        );
        assert_eq!(serde_json::from_value::<Conversation>(stored).unwrap(), conversation);
    }

    #[test]
    fn unknown_role_is_an_error() {
        let note = json!({"role": "boss", "strategy": "auto", "ephemeral": false, "text": "x"});
        let error = serde_json::from_value::<Note>(note).unwrap_err().to_string();
        assert!(error.contains("unknown role `boss`"), "{error}");
    }
}
