//! What is asked of a model.

use serde_json::Value;

use super::Conversation;

/// One question: go on from here, with these tools.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What was said so far.
    pub conversation: &'a Conversation,
    /// What the model may call.
    pub tools: &'a [Definition],
    /// How many tokens the reply may have; without it, what the API thinks best.
    pub max_tokens: Option<u32>,
}

/// A tool, as a model gets to know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// What it is called by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What its input looks like, as JSON Schema of an object.
    pub schema: Value,
}
