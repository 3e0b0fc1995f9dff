//! Errors in a script.

use std::fmt;

/// Why a script is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Where: `turn 2`, or `line 3, column 1` if it is not valid YAML or JSON.
    place: String,
    detail: String,
    hint: String,
}

impl ScriptError {
    pub(super) fn new(place: &str, detail: &str, hint: &str) -> Self {
        Self { place: place.to_owned(), detail: detail.to_owned(), hint: hint.to_owned() }
    }

    /// A syntax error; line and column count from 1.
    pub(super) fn at(line: usize, column: usize, detail: &str, hint: &str) -> Self {
        Self::new(&format!("line {line}, column {column}"), detail, hint)
    }

    /// The correction.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.detail)
    }
}
