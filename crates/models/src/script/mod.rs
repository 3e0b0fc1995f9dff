//! A conversation, written down beforehand.

mod yaml;
mod shape;
mod failure;
mod error;

use serde_json::{Map, Value};

pub use error::ScriptError;

/// The replies of the model, turn by turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The turns, in order.
    pub turns: Vec<Turn>,
}

/// One reply of the model, and the expected request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The expected request.
    pub expect: Expectation,
    /// Text.
    pub say: Option<String>,
    /// Tools it calls, all at once.
    pub calls: Vec<ScriptCall>,
    /// How it goes wrong, if it does.
    pub fails: Option<ScriptFailure>,
}

/// How a turn goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptFailure {
    /// With a status, and headers such as `retry-after`.
    Status {
        /// The status.
        status: u16,
        /// Headers in addition to the usual ones.
        headers: Vec<(String, String)>,
        /// The text of the error.
        message: String,
    },
    /// It breaks off after this number of events, or in the middle of a JSON reply.
    Cut(usize),
    /// It stops sending after this number of events.
    Stall(usize),
    /// This comes in the place of a reply.
    Garbage(String),
}

/// A call of one of the agent's tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptCall {
    /// The tool, by the agent's own name for it.
    pub tool: String,
    /// Its input.
    pub input: Map<String, Value>,
}

/// Conditions of a request; absent ones do not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Texts that the model reads.
    pub contains: Vec<String>,
    /// Texts that the model must not read.
    pub lacks: Vec<String>,
    /// A result of the calls it made last has this.
    pub tool_result_contains: Vec<String>,
}

impl ScriptFailure {
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::Cut(_) => "cut",
            Self::Stall(_) => "stall",
            Self::Garbage(_) => "garbage",
        }
    }
}

impl ScriptCall {
    /// The input of a tool that takes a text: the only value, if that is a text, else the whole as JSON.
    pub(crate) fn as_text(&self) -> String {
        let mut values = self.input.values();
        match (values.next(), values.next()) {
            (Some(Value::String(text)), None) => text.clone(),
            _ => self.arguments(),
        }
    }

    pub(crate) fn arguments(&self) -> String {
        Value::Object(self.input.clone()).to_string()
    }
}

impl Script {
    /// Reads a script in YAML or JSON; `{project}` in its texts becomes the project's path.
    pub fn read(text: &str, project: &str) -> Result<Self, ScriptError> {
        // YAML lacks some of JSON's escapes, so text that starts like JSON is read as JSON.
        let value = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| ScriptError::Syntax {
                line: error.line(),
                column: error.column(),
                detail: error.to_string(),
                hint: "what begins with `{` is read as JSON".to_owned(),
            })?
        } else {
            yaml::read(text)?
        };
        shape::script(&value, project)
    }
}

#[cfg(test)]
mod tests;
