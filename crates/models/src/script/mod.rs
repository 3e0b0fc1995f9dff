//! Scripts: the turns of a conversation that a scripted model plays.

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
    /// The failure of the turn, if it has one.
    pub fails: Option<ScriptFailure>,
}

/// The failure of a turn.
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
    /// The connection closes after this number of events, or in the middle of a JSON reply.
    Cut(usize),
    /// The server stops sending after this number of events.
    Stall(usize),
    /// This text replaces the reply.
    Garbage(String),
}

/// A call of one of the agent's tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptCall {
    /// The agent's name of the tool.
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
    /// Texts in the results of the last calls.
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
    /// The input of a tool that accepts text: its only value if that is text, else all of it as JSON.
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
            serde_json::from_str(text).map_err(|error| {
                let hint = "a script that starts with `{` is read as JSON";
                ScriptError::at(error.line(), error.column(), &error.to_string(), hint)
            })?
        } else {
            yaml::read(text)?
        };
        shape::script(&value, project)
    }
}

#[cfg(test)]
mod tests;
