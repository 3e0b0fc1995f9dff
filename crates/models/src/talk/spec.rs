//! Which model is meant: `anthropic:MODEL`, `openai:MODEL`, `gemini:MODEL`, `http://…`, `scripted:FILE`.

use std::ffi::OsString;
use std::fmt;

use super::Model;

/// A model, as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSpec {
    text: String,
}

/// Why a model cannot be asked at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl ModelSpec {
    /// Reads what a user wrote.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Ok(Self { text: text.to_owned() })
    }

    /// Makes it ready to be asked, with keys and addresses from this environment.
    pub fn connect(&self, _environment: &[(OsString, OsString)]) -> Result<Box<dyn Model>, SpecError> {
        Err(SpecError {
            message: format!("`{}` cannot be asked yet", self.text),
            hint: "take another model".to_owned(),
        })
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for SpecError {}
