//! What can go wrong, in the four kinds that callers know.

use std::fmt;

/// The kind of an error; the spelling is what MCP clients see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something passed is missing, too long or no word we know.
    Validation,
    /// What is named is not there.
    NotFound,
    /// There is an active entry already.
    ActiveExists,
    /// Everything else: files or a store that cannot be used.
    Internal,
}

impl ErrorKind {
    /// The spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation_error",
            Self::NotFound => "not_found",
            Self::ActiveExists => "active_ghap_exists",
            Self::Internal => "internal_error",
        }
    }
}

/// What went wrong, with an entry or with anything else in memory; the message says what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhapError {
    /// Which kind.
    pub kind: ErrorKind,
    /// What happened, and what to do about it.
    pub message: String,
}

impl GhapError {
    /// Something passed cannot be taken.
    pub fn validation(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Validation, message: message.into() }
    }

    /// What is named is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, message: message.into() }
    }

    /// A file or the store cannot be used.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Internal, message: message.into() }
    }
}

impl fmt::Display for GhapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GhapError {}
