//! A request to a model.

use serde_json::Value;

use super::Conversation;

/// A request for the next reply.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The conversation so far.
    pub conversation: &'a Conversation,
    /// The tools that the model may call.
    pub tools: &'a [ToolDefinition],
    /// Most tokens of the reply [default: chosen by the API].
    pub max_tokens: Option<u32>,
}

/// A tool, as the model reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The JSON Schema of its input.
    pub schema: Value,
}
