//! An injected text in a record, and the message that several of them become.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{ContextMessage, Event, LedgerEntry, Role};

use super::record::RecordV1;
use crate::shorten;

/// On `hook:context_injection`: what else is known of the text.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedInjection {
    /// What became of it: `given`, `in the reason`, `one line`, `truncated`, `spilled` or `cut`.
    pub status: String,
    /// The role its hook asked for, if the agent has no channel for it: then it went to its channel for context.
    pub requested_role: Option<String>,
    /// Where it was to go: `auto`, `tool_result` or `user_message`.
    pub strategy: String,
    /// Only for the next model call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ephemeral: bool,
    /// By which it is the same as another text of its hook.
    pub key: Option<String>,
    /// The bytes of all of it, if the agent received fewer.
    pub whole_size: Option<u64>,
    /// The file that has all of it.
    pub path: Option<String>,
    /// Where it was fetched, if no one here has written it.
    pub foreign: Option<String>,
    /// Which budget it is paid from: `hooks` or `memory`.
    pub category: String,
}

/// The record of a text that reached the agent. `blank` has what every record of its event has.
#[inline(never)]
pub(super) fn injection_record(event: &Event, entry: &LedgerEntry, blank: RecordV1) -> RecordV1 {
    let LedgerEntry { by, injection, role, category, status, bytes, tokens, spilled } = entry;
    let whole = injection.whole_bytes();
    RecordV1 {
        event: "hook:context_injection".to_owned(),
        hook_name: Some(by.to_string()),
        hook_event: Some(event.kind.to_string()),
        injection_size: Some(*bytes as u64),
        injection_role: Some(role.as_str().to_owned()),
        tokens: Some(*tokens),
        content: Some(shorten::text(&injection.received(by, *bytes))),
        injection: Some(RecordedInjection {
            status: status.as_str().to_owned(),
            requested_role: (injection.role != *role).then(|| injection.role.as_str().to_owned()),
            strategy: injection.strategy.as_str().to_owned(),
            ephemeral: injection.ephemeral,
            key: injection.key.clone(),
            whole_size: (whole > *bytes).then_some(whole as u64),
            path: injection.form.path().map(str::to_owned).or_else(|| spilled.clone()),
            foreign: injection.foreign.clone(),
            category: category.as_str().to_owned(),
        }),
        ..blank
    }
}

/// A message for the context, as a program that embeds tenter adds it to its history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextMessageV1 {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text: of one hook as it is, of several with a section for each.
    pub content: String,
    /// `auto`, `tool_result` or `user_message`.
    pub strategy: String,
    /// Only for the next model call.
    pub ephemeral: bool,
    /// Where it comes from, for a reader who wants to leave such messages out.
    pub metadata: MessageMetadataV1,
}

/// Where a message comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MessageMetadataV1 {
    /// `hook`.
    pub source: String,
    /// Which hooks, in order, separated by commas.
    pub hook_name: String,
    /// At which event.
    pub event: String,
    /// When, in RFC 3339.
    pub timestamp: String,
    /// The role that was asked for.
    pub requested_role: String,
    /// The hooks whose texts it is made of, in order; none where it is a single text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<MessagePartV1>,
}

/// One text of a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MessagePartV1 {
    /// Whose.
    pub hook_name: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// When, in RFC 3339.
    pub timestamp: String,
}

impl MessageMetadataV1 {
    /// Of a single text.
    pub(super) fn new(hook_name: String, role: Role, event: &Event) -> Self {
        Self {
            source: "hook".to_owned(),
            hook_name,
            event: event.kind.to_string(),
            timestamp: event.at.to_string(),
            requested_role: role.as_str().to_owned(),
            parts: Vec::new(),
        }
    }
}

impl ContextMessageV1 {
    pub(super) fn new(message: &ContextMessage, event: &Event) -> Self {
        let ContextMessage { role, strategy, ephemeral, content, parts } = message;
        let timestamp = event.at.to_string();
        let names: Vec<String> = parts.iter().map(|(by, _)| by.to_string()).collect();
        let part = |(name, (_, bytes)): (&String, &(_, usize))| MessagePartV1 {
            hook_name: name.clone(),
            bytes: *bytes as u64,
            timestamp: timestamp.clone(),
        };
        Self {
            role: role.as_str().to_owned(),
            content: content.clone(),
            strategy: strategy.as_str().to_owned(),
            ephemeral: *ephemeral,
            metadata: MessageMetadataV1 {
                parts: names.iter().zip(parts).map(part).collect(),
                ..MessageMetadataV1::new(names.join(", "), *role, event)
            },
        }
    }
}
