//! Errors in a script.

use std::fmt;

/// Why a script is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// It is not valid YAML or JSON.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The problem.
        detail: String,
        /// The correction.
        hint: String,
    },
    /// It is not a script.
    Shape {
        /// Where: `turn 2`.
        place: String,
        /// The problem.
        detail: String,
        /// The correction.
        hint: String,
    },
}

impl ScriptError {
    /// The correction.
    pub fn hint(&self) -> &str {
        match self {
            Self::Syntax { hint, .. } | Self::Shape { hint, .. } => hint,
        }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, detail, .. } => write!(f, "line {line}, column {column}: {detail}"),
            Self::Shape { place, detail, .. } => write!(f, "{place}: {detail}"),
        }
    }
}
