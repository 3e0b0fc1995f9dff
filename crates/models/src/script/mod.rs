//! A conversation, written down beforehand.

mod yaml;
mod shape;
mod fails;
mod error;

use serde_json::{Map, Value};

pub use error::ScriptError;

/// What the model says, turn by turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The turns, in order.
    pub turns: Vec<Turn>,
}

/// One reply of the model, and what must have been asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// What the request must look like.
    pub expect: Expectation,
    /// Text.
    pub say: Option<String>,
    /// Tools it calls, all at once.
    pub calls: Vec<ToolCall>,
    /// How it goes wrong, if it does.
    pub fails: Option<Failing>,
}

/// How a turn goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failing {
    /// With a status, and headers such as `retry-after`.
    Status {
        /// The status.
        status: u16,
        /// Headers beside the usual ones.
        headers: Vec<(String, String)>,
        /// What the error says.
        message: String,
    },
    /// It breaks off after so many events, or in the middle of what is no stream.
    Cut(usize),
    /// After so many events, nothing more comes.
    Stall(usize),
    /// This comes in the place of a reply.
    Garbage(String),
}

/// A call of one of the agent's tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool, by the agent's own name for it.
    pub tool: String,
    /// Its input.
    pub input: Map<String, Value>,
}

/// What a request must look like. What is not stated does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// The model is told this.
    pub contains: Vec<String>,
    /// It is not told this.
    pub lacks: Vec<String>,
    /// A result of the calls it made last has this.
    pub tool_result_contains: Vec<String>,
}

impl Failing {
    /// The key by which a script says it.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::Cut(_) => "cut",
            Self::Stall(_) => "stall",
            Self::Garbage(_) => "garbage",
        }
    }
}

impl ToolCall {
    /// The input of a tool that takes a text: the only value, if that is a text, else the whole as JSON.
    pub(crate) fn as_text(&self) -> String {
        let mut values = self.input.values();
        match (values.next(), values.next()) {
            (Some(Value::String(text)), None) => text.clone(),
            _ => Value::Object(self.input.clone()).to_string(),
        }
    }
}

impl Script {
    /// Reads a script in YAML or JSON; `{project}` in its texts becomes the project's path.
    pub fn read(text: &str, project: &str) -> Result<Self, ScriptError> {
        // JSON's escapes are not all of YAML's, so what looks like JSON is read as JSON.
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
