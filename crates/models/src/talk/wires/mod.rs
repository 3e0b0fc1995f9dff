//! The APIs, from our side. Every file has the same parts: `body` writes a request, and a `Heard` reads the
//! reply, as events or in one piece; the two of OpenAI share what is in `openai`.

mod anthropic;
mod gemini;
mod openai;
mod openai_chat;
mod openai_responses;
mod turned;

use serde_json::Value;

use super::draft::Draft;
use super::layout::Placed;
use super::{Piece, Request};
use crate::apis::Api;

/// Who is told each piece as it comes.
pub(super) type Ear<'a> = dyn FnMut(Piece<'_>) + 'a;

/// Reads one reply.
pub(super) trait Listener {
    /// Takes the data of the next event.
    fn take(&mut self, data: &str, hear: &mut Ear<'_>) -> Result<Step, Trouble>;

    /// Takes all of it at once, from a server that does not stream although it was asked to.
    fn take_whole(&mut self, answer: &Value, hear: &mut Ear<'_>) -> Result<(), Trouble>;

    /// What was heard.
    fn draft(&mut self) -> &mut Draft;

    /// Whether the reply is complete if nothing more comes.
    fn may_end(&mut self) -> bool {
        self.draft().stop.is_some()
    }
}

/// What follows an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// There is more to come.
    More,
    /// That was all.
    Over,
}

/// Why events are no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// They are none of this API.
    Garbage(String),
    /// The server says in the middle of them that it fails.
    Told {
        /// The status it would have had, had it known before.
        status: u16,
        /// What it says.
        message: String,
    },
}

/// A request as the API wants it.
pub(super) fn body(api: Api, request: &Request<'_>, model: &str) -> Value {
    match api {
        Api::Anthropic => anthropic::body(request, model),
        Api::Gemini => gemini::body(request, model),
        Api::OpenAiResponses => openai_responses::body(request, model),
        Api::OpenAiChat => openai_chat::body(request, model),
    }
}

/// Where it goes, below the API's address.
pub(super) fn path(api: Api, model: &str) -> String {
    match api {
        Api::Anthropic => "/v1/messages".to_owned(),
        Api::Gemini => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
        Api::OpenAiResponses => "/responses".to_owned(),
        Api::OpenAiChat => "/chat/completions".to_owned(),
    }
}

/// What reads the reply.
pub(super) fn listener(api: Api) -> Box<dyn Listener> {
    match api {
        Api::Anthropic => Box::<anthropic::Heard>::default(),
        Api::Gemini => Box::<gemini::Heard>::default(),
        Api::OpenAiResponses => Box::<openai_responses::Heard>::default(),
        Api::OpenAiChat => Box::<openai_chat::Heard>::default(),
    }
}

/// The data of an event as JSON.
fn parsed(data: &str) -> Result<Value, Trouble> {
    match serde_json::from_str(data) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Trouble::Garbage("an event is no JSON object".to_owned())),
        Err(error) => Err(Trouble::Garbage(format!("an event is no JSON: {error}"))),
    }
}

/// What is said about JSON in one piece that is nothing this API answers with.
fn no_answer(lacks: &str) -> Trouble {
    Trouble::Garbage(format!("it is one piece of JSON without `{lacks}`"))
}

/// The items of a list, none if it is no list.
fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text of a value, empty if there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The notes that stand in the result with this number.
fn within<'a>(notes: &'a [Placed<'_>], result: usize) -> Vec<&'a str> {
    let inside = notes.iter().filter(|note| note.within == Some(result));
    inside.map(|note| note.said.text.as_ref()).collect()
}

#[cfg(test)]
mod tests;
