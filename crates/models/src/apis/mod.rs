//! The APIs. Every file has the same functions: `route`, `read`, `whole`, `events`, `counted`, `error`.

mod anthropic;
mod gemini;

use serde_json::Value;

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
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::Gemini];

    /// The name on the command line and in recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// What a path without its query is for.
    pub(crate) fn route(self, method: &str, path: &str, query: &str) -> Option<Route> {
        match self {
            Self::Anthropic => anthropic::route(method, path),
            Self::Gemini => gemini::route(method, path, query),
        }
    }

    /// What is asked.
    pub(crate) fn read(self, body: &Value) -> Asked {
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Gemini => gemini::read(body),
        }
    }

    /// A reply in one piece.
    pub(crate) fn whole(self, line: &Line, asked: &Asked, number: usize) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(line, asked, number),
            Self::Gemini => gemini::whole(line, asked, number),
        }
    }

    /// The same reply as server-sent events.
    pub(crate) fn events(self, line: &Line, asked: &Asked, number: usize) -> Vec<ServerEvent> {
        match self {
            Self::Anthropic => anthropic::events(line, asked, number),
            Self::Gemini => gemini::events(line, asked, number),
        }
    }

    /// So many tokens.
    pub(crate) fn counted(self, tokens: usize) -> Value {
        match self {
            Self::Anthropic => anthropic::counted(tokens),
            Self::Gemini => gemini::counted(tokens),
        }
    }

    /// An error, as the agent knows errors.
    pub(crate) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::error(status, message),
            Self::Gemini => gemini::error(status, message),
        }
    }
}

/// A guess of the tokens of what is told.
pub(crate) fn tokens(asked: &Asked) -> usize {
    asked.told.iter().map(String::len).sum::<usize>().div_ceil(4).max(1)
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
