//! What an agent asks of a model, whatever the API.

use std::collections::BTreeMap;

use serde_json::Value;

/// A request, as far as a script is concerned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    /// The model that is asked for.
    pub(crate) model: String,
    /// How the reply is to come.
    pub(crate) delivery: Delivery,
    /// Whether the request offers tools that the agent itself runs. Titles, quota probes and summaries are
    /// asked for without any.
    pub(crate) offers_tools: bool,
    /// Everything the model is told: instructions, prompts, context, results; not its own earlier words.
    pub(crate) told: Vec<String>,
    /// The results of the calls that the model made last.
    pub(crate) results: Vec<String>,
    /// The schema that the reply's text is to fit.
    pub(crate) schema: Option<Value>,
    /// Tools whose input is a text and not JSON, such as a patch or a program.
    pub(crate) text_tools: Vec<String>,
    /// Tools that are called with a namespace, and which.
    pub(crate) namespaces: BTreeMap<String, String>,
    /// Whether a stream is to end with the tokens that were used.
    pub(crate) wants_usage: bool,
}

/// How a reply comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// In one piece.
    #[default]
    Whole,
    /// As server-sent events.
    Events,
    /// As a JSON array.
    Array,
}

/// Keys whose values are no text that a model reads.
const NO_TEXT: [&str; 6] = ["type", "role", "id", "tool_use_id", "cache_control", "signature"];

/// Every text in a value, in order.
pub(crate) fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => {
            fields
                .iter()
                .filter(|(key, _)| !NO_TEXT.contains(&key.as_str()))
                .for_each(|(_, value)| texts(value, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
