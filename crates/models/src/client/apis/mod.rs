//! The APIs as a client uses them. In every file, `body` writes a request and a `Reader` reads the reply, as events or
//! as one JSON value; OpenAI's two APIs share `openai`.

mod anthropic;
mod gemini;
mod openai;
mod openai_chat;
mod openai_responses;
mod turn_messages;

use serde_json::Value;

use super::layout::ResultNote;
use super::partial_reply::PartialReply;
use super::{ReplyPiece, Request};
use crate::Api;

/// Receives each piece of a reply.
pub(super) type OnPiece<'a> = dyn FnMut(ReplyPiece<'_>) + 'a;

pub(super) trait ReplyReader {
    fn take(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError>;

    /// Takes all of it at once, from a server that does not stream although it was asked to.
    fn take_whole(&mut self, answer: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError>;

    fn partial(&mut self) -> &mut PartialReply;

    /// Whether the reply is complete if nothing more comes.
    fn may_end(&mut self) -> bool {
        self.partial().stop.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamState {
    Open,
    Complete,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StreamError {
    Garbage(String),
    /// The server reports an error in the middle of the stream.
    Reported {
        /// The status it would have had, had it known before.
        status: u16,
        message: String,
    },
}

pub(super) fn body(api: Api, request: &Request<'_>, model: &str) -> Value {
    match api {
        Api::Anthropic => anthropic::body(request, model),
        Api::Gemini => gemini::body(request, model),
        Api::OpenAiResponses => openai_responses::body(request, model),
        Api::OpenAiChat => openai_chat::body(request, model),
    }
}

pub(super) fn path(api: Api, model: &str) -> String {
    match api {
        Api::Anthropic => "/v1/messages".to_owned(),
        Api::Gemini => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
        Api::OpenAiResponses => "/responses".to_owned(),
        Api::OpenAiChat => "/chat/completions".to_owned(),
    }
}

pub(super) fn reader(api: Api) -> Box<dyn ReplyReader> {
    match api {
        Api::Anthropic => Box::<anthropic::Reader>::default(),
        Api::Gemini => Box::<gemini::Reader>::default(),
        Api::OpenAiResponses => Box::<openai_responses::Reader>::default(),
        Api::OpenAiChat => Box::<openai_chat::Reader>::default(),
    }
}

fn parsed(data: &str) -> Result<Value, StreamError> {
    match serde_json::from_str(data) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(StreamError::Garbage("an event is no JSON object".to_owned())),
        Err(error) => Err(StreamError::Garbage(format!("an event is no JSON: {error}"))),
    }
}

fn no_answer(lacks: &str) -> StreamError {
    StreamError::Garbage(format!("it is one piece of JSON without `{lacks}`"))
}

/// The items of an array; empty for another value.
fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text field; empty if it is missing.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The texts of the notes in one result.
fn within<'a>(notes: &'a [ResultNote<'_>], result: usize) -> Vec<&'a str> {
    let inside = notes.iter().filter(|note| note.within == Some(result));
    inside.map(|note| note.note.text.as_ref()).collect()
}

#[cfg(test)]
mod tests;
