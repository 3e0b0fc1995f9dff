//! A request of an agent, independent of its API.

use std::collections::BTreeMap;

use serde_json::Value;

/// The parts of a request that a script needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AgentRequest {
    pub(crate) model: String,
    pub(crate) format: ReplyFormat,
    /// Whether it offers tools that the agent runs itself. Titles, quota probes and summaries come without any.
    pub(crate) offers_tools: bool,
    /// Everything the model reads, without its own earlier replies.
    pub(crate) texts: Vec<String>,
    pub(crate) results: Vec<String>,
    pub(crate) schema: Option<Value>,
    /// Tools whose input is text and not JSON, such as a patch.
    pub(crate) text_tools: Vec<String>,
    /// The namespace of each tool that has one.
    pub(crate) namespaces: BTreeMap<String, String>,
    pub(crate) wants_usage: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReplyFormat {
    #[default]
    Json,
    Events,
    JsonArray,
}

/// Keys whose values are not read by a model.
const NOT_TEXT: [&str; 6] = ["type", "role", "id", "tool_use_id", "cache_control", "signature"];

impl AgentRequest {
    /// A request of an API that names the model and the form in its body.
    pub(crate) fn from_body(body: &Value) -> Self {
        Self {
            model: body["model"].as_str().unwrap_or("scripted").to_owned(),
            format: if body["stream"] == true { ReplyFormat::Events } else { ReplyFormat::Json },
            ..Self::default()
        }
    }

    /// Collects the texts of messages, and the results behind the last message of the model.
    pub(crate) fn read_messages(
        &mut self,
        messages: &Value,
        model_role: &str,
        text: fn(&Value) -> &Value,
        results: fn(&Value) -> Vec<&Value>,
    ) {
        let is_reply = |message: &&Value| message["role"] == model_role;
        let messages = items(messages);
        let others = messages.iter().filter(|message| !is_reply(message));
        others.for_each(|message| collect_texts(text(message), &mut self.texts));
        let last = messages.iter().rev().take_while(|message| !is_reply(message)).flat_map(results);
        last.for_each(|result| collect_texts(result, &mut self.results));
    }

    /// An estimate of the tokens of all texts.
    pub(crate) fn tokens(&self) -> usize {
        self.texts.iter().map(String::len).sum::<usize>().div_ceil(4).max(1)
    }
}

/// The items of an array; empty for another value.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub(crate) fn collect_texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, found)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| !NOT_TEXT.contains(&key.as_str()))
            .for_each(|(_, value)| collect_texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
