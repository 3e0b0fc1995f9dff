//! What can be wrong with a script.

use std::fmt;

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// It is no YAML, or no JSON.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        detail: String,
        /// What to write instead.
        hint: String,
    },
    /// It is no script.
    Shape {
        /// Where: `turn 2`.
        place: String,
        /// What is wrong there.
        detail: String,
        /// What to write instead.
        hint: String,
    },
}

impl ScriptError {
    /// What to write instead.
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
