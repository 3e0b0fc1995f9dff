//! The APIs as a client uses them. In every file, `body` writes a request and a `Reader` reads the reply, as events or
//! as one JSON value. OpenAI's two APIs share `openai`, the other two `turn_messages`.

mod anthropic;
mod gemini;
mod openai;
mod openai_chat;
mod openai_responses;
mod turn_messages;

use serde_json::Value;

use super::layout::{LayoutNote, ResultNote};
use super::partial_reply::PartialReply;
use super::{ReplyPiece, Request, ToolDefinition};
use crate::Api;

/// Receives each piece of a reply.
pub(super) type OnPiece<'a> = dyn FnMut(ReplyPiece<'_>) + 'a;

pub(super) trait ReplyReader {
    fn read_event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError>;

    /// Reads a reply that is one JSON value, from a server that does not stream.
    fn read_reply(&mut self, reply: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError>;

    /// The error that a server reports with status 200.
    fn reported(&self, error: &Value) -> StreamError;

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
    /// The server reports an error in the middle of the stream, with the status that it would have otherwise.
    Reported {
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

fn parse_event(data: &str) -> Result<Value, StreamError> {
    match serde_json::from_str(data) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(StreamError::Garbage("an event is not a JSON object".to_owned())),
        Err(error) => Err(StreamError::Garbage(format!("an event is not JSON: {error}"))),
    }
}

fn require(is_there: bool, key: &str) -> Result<(), StreamError> {
    is_there.then_some(()).ok_or_else(|| StreamError::Garbage(format!("it is JSON without `{key}`")))
}

/// Fields of every tool: name, description and schema, under the names of an API.
fn tools(request: &Request<'_>, schema: &str, more: &Value) -> Vec<Value> {
    let tool = |tool: &ToolDefinition| {
        let mut fields = more.clone();
        fields["name"] = tool.name.as_str().into();
        fields["description"] = tool.description.as_str().into();
        fields[schema] = tool.schema.clone();
        fields
    };
    request.tools.iter().map(tool).collect()
}

/// A number field; 0 if it is missing.
fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
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
fn texts_within<'a>(notes: &'a [ResultNote<'_>], result: usize) -> Vec<&'a str> {
    let inside = notes.iter().filter(|note| note.within == Some(result));
    inside.map(|note| note.note.text.as_ref()).collect()
}

/// The notes behind the results.
fn after_results<'a>(notes: &'a [ResultNote<'a>]) -> impl Iterator<Item = &'a LayoutNote<'a>> {
    notes.iter().filter(|note| note.within.is_none()).map(|note| &note.note)
}

#[cfg(test)]
mod tests;
