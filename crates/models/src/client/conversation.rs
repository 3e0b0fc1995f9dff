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

/// One thing in a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// The user's prompt.
    Prompt(String),
    /// The model's.
    Reply(Reply),
    /// The result of a call.
    Result(ToolResult),
    /// A note of a hook.
    Note(Note),
}

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Which call.
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
    /// In whose name.
    #[serde(with = "role")]
    pub role: Role,
    /// Where it goes.
    #[serde(with = "strategy")]
    pub strategy: Strategy,
    /// Whether it is for the next request alone.
    pub ephemeral: bool,
    /// Its text.
    pub text: String,
    /// The call it is about: it reaches the model together with that call's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Where it comes from: `source`, `hook_name`, `event`, `timestamp`, `requested_role`. Models do not read it.
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
    /// A conversation in which nothing has been note.
    pub fn new(system: impl Into<String>) -> Self {
        Self { system: system.into(), ..Self::default() }
    }

    /// The same before anything was note.
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

/// The contract's types have no serde; their spelling is stored.
mod role {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tenter_contract::Role;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn serialize<S: Serializer>(role: &Role, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(role.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Role, D::Error> {
        let text = String::deserialize(from)?;
        Role::parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no role")))
    }
}

mod strategy {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tenter_contract::Strategy;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn serialize<S: Serializer>(strategy: &Strategy, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(strategy.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Strategy, D::Error> {
        let text = String::deserialize(from)?;
        Strategy::parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no strategy")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_conversation_is_stored_in_plain_words_and_read_again() {
        let note = Note { ephemeral: true, ..Note::new(Role::System, Strategy::ToolResult, "Mind the gap.") };
        let metadata = json!({"source": "hook", "hook_name": "lint"}).as_object().cloned().unwrap();
        let of_hook = Note {
            call_id: Some("c1".to_owned()),
            metadata,
            ..Note::new(Role::System, Strategy::Auto, "Line 4 is too long.")
        };
        let mut conversation = Conversation::new("Be brief.");
        conversation.add(Item::Prompt("Hello".to_owned()));
        conversation.add(Item::Note(note));
        conversation.add(Item::Note(of_hook));
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
    fn an_unknown_role_is_told() {
        let note = json!({"role": "boss", "strategy": "auto", "ephemeral": false, "text": "x"});
        let error = serde_json::from_value::<Note>(note).unwrap_err().to_string();
        assert!(error.contains("`boss` is no role"), "{error}");
    }
}
