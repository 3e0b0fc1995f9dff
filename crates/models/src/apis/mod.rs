//! The APIs. Every file has the same functions: `route`, `read`, `whole`, `events`, `counted`, `error`; the two
//! of OpenAI share those in `openai`.

mod anthropic;
mod gemini;
mod openai;
mod openai_responses;
mod openai_chat;

use serde_json::{Value, json};

use crate::asked::{Asked, Delivery};
use crate::stage::Line;

/// Text and input of a stream come in pieces of about so many bytes, as from a real model.
const PIECE: usize = 48;

/// A model API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// OpenAI's Chat Completions.
    OpenAiChat,
}

/// What a path is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A reply of the model is wanted.
    Reply {
        /// The model, where the path names it.
        model: Option<String>,
        /// How it is to come, where the path says so.
        delivery: Option<Delivery>,
    },
    /// The tokens of a request are to be counted.
    Count,
    /// The models there are.
    Models,
    /// Something agents look at on the side and take an empty answer for.
    Probe,
}

/// One server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerEvent {
    /// Its name, where the API has names.
    pub(crate) name: Option<&'static str>,
    /// Its data.
    pub(crate) data: Value,
}

impl Api {
    /// Every API.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Gemini, Self::OpenAiResponses, Self::OpenAiChat];

    /// The name on the command line and in recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiChat => "openai-chat",
        }
    }

    /// What a path without its query is for.
    pub(crate) fn route(self, method: &str, path: &str, query: &str) -> Option<Route> {
        match self {
            Self::Anthropic => anthropic::route(method, path),
            Self::Gemini => gemini::route(method, path, query),
            Self::OpenAiResponses => openai_responses::route(method, path),
            Self::OpenAiChat => openai_chat::route(method, path),
        }
    }

    /// What is asked.
    pub(crate) fn read(self, body: &Value) -> Asked {
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Gemini => gemini::read(body),
            Self::OpenAiResponses => openai_responses::read(body),
            Self::OpenAiChat => openai_chat::read(body),
        }
    }

    /// A reply in one piece.
    pub(crate) fn whole(self, line: &Line, asked: &Asked, number: usize) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(line, asked, number),
            Self::Gemini => gemini::whole(line, asked, number),
            Self::OpenAiResponses => openai_responses::whole(line, asked, number),
            Self::OpenAiChat => openai_chat::whole(line, asked, number),
        }
    }

    /// The same reply as server-sent events.
    pub(crate) fn events(self, line: &Line, asked: &Asked, number: usize) -> Vec<ServerEvent> {
        match self {
            Self::Anthropic => anthropic::events(line, asked, number),
            Self::Gemini => gemini::events(line, asked, number),
            Self::OpenAiResponses => openai_responses::events(line, asked, number),
            Self::OpenAiChat => openai_chat::events(line, asked, number),
        }
    }

    /// So many tokens.
    pub(crate) fn counted(self, tokens: usize) -> Value {
        match self {
            Self::Anthropic => anthropic::counted(tokens),
            Self::Gemini => gemini::counted(tokens),
            Self::OpenAiResponses | Self::OpenAiChat => openai::counted(tokens),
        }
    }

    /// An error, as the agent knows errors.
    pub(crate) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::error(status, message),
            Self::Gemini => gemini::error(status, message),
            Self::OpenAiResponses | Self::OpenAiChat => openai::error(status, message),
        }
    }

    /// What a stream ends with besides, where the API has such a word.
    pub(crate) fn end_mark(self) -> Option<&'static str> {
        (self == Self::OpenAiChat).then_some("[DONE]")
    }
}

/// A guess of the tokens of what is told.
pub(crate) fn tokens(asked: &Asked) -> usize {
    asked.told.iter().map(String::len).sum::<usize>().div_ceil(4).max(1)
}

/// The models there are: one, and any other name will do as well. Anthropic and OpenAI have the same path for
/// it, so it is written for the clients of both.
pub(crate) fn models() -> Value {
    let model = json!({
        "id": "scripted", "type": "model", "object": "model", "display_name": "Scripted", "created": 0,
        "created_at": "1970-01-01T00:00:00Z", "owned_by": "tenter",
    });
    json!({"object": "list", "data": [model], "has_more": false})
}

/// A text in pieces; none for an empty one.
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

#[cfg(test)]
mod tests;
