//! The served APIs, one file and one [`ServedApi`] each.

mod anthropic;
mod gemini;
mod openai;
mod openai_chat;
mod openai_responses;

use serde_json::{Value, json};

use super::agent_request::{AgentRequest, ReplyFormat};
use super::script_state::ScriptedReply;
use crate::Api;

/// Approximate bytes of a piece of text or input in a stream.
const PIECE: usize = 48;

pub(crate) struct ServedApi {
    /// The purpose of a method, path and query.
    pub(crate) route: fn(&str, &str, &str) -> Option<Route>,
    pub(crate) read: fn(&Value) -> AgentRequest,
    /// A reply as one JSON value; the number makes ids unique.
    pub(crate) full_reply: fn(&ScriptedReply, &AgentRequest, usize) -> Value,
    pub(crate) events: fn(&ScriptedReply, &AgentRequest, usize) -> Vec<ServerEvent>,
    pub(crate) token_count: fn(usize) -> Value,
    pub(crate) error: fn(u16, &str) -> Value,
    /// Data of a last event that is not JSON.
    pub(crate) end_mark: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A reply of the model; some APIs name the model and the format in the path.
    Reply {
        model: Option<String>,
        format: Option<ReplyFormat>,
    },
    CountTokens,
    ListModels,
    /// A check of the agent that accepts an empty answer.
    Probe,
}

impl Route {
    /// A reply whose model and format are in the body.
    const REPLY: Self = Self::Reply { model: None, format: None };
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerEvent {
    pub(crate) name: Option<&'static str>,
    pub(crate) data: Value,
}

impl ServerEvent {
    /// An event that repeats its name in the data.
    fn named(name: &'static str, mut data: Value) -> Self {
        data["type"] = name.into();
        Self { name: Some(name), data }
    }

    fn unnamed(data: Value) -> Self {
        Self { name: None, data }
    }
}

impl Api {
    pub(crate) fn served(self) -> &'static ServedApi {
        match self {
            Self::Anthropic => &anthropic::API,
            Self::Gemini => &gemini::API,
            Self::OpenAiResponses => &openai_responses::API,
            Self::OpenAiChat => &openai_chat::API,
        }
    }
}

/// The list of models, in a form that clients of Anthropic and OpenAI accept: both use the same path.
pub(crate) fn model_list() -> Value {
    let model = json!({
        "id": "scripted", "type": "model", "object": "model", "display_name": "Scripted", "created": 0,
        "created_at": "1970-01-01T00:00:00Z", "owned_by": "tenter",
    });
    json!({"object": "list", "data": [model], "has_more": false})
}

/// Splits a text into pieces, at character boundaries.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// An estimate of the tokens of a JSON text of this length.
fn tokens_of(length: usize) -> usize {
    length.div_ceil(4)
}

#[cfg(test)]
mod tests;
