//! The error of entries and of memory.

use std::fmt;

/// The kind of an error; the spelling is what MCP clients see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument is missing, too long or unknown.
    Validation,
    /// The named thing does not exist.
    NotFound,
    /// There is an active entry already.
    ActiveExists,
    /// A file or the store cannot be used.
    Internal,
}

impl ErrorKind {
    /// The spelling for MCP clients.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation_error",
            Self::NotFound => "not_found",
            Self::ActiveExists => "active_ghap_exists",
            Self::Internal => "internal_error",
        }
    }
}

/// An error of entries or memory; its message says what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhapError {
    /// The kind.
    pub kind: ErrorKind,
    /// The message for the user.
    pub message: String,
}

impl GhapError {
    /// An invalid argument.
    pub fn validation(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Validation, message: message.into() }
    }

    /// The named thing does not exist.
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
