//! What can go wrong; the kinds are those of entries.

use std::fmt;

pub use tenter_ghap::ErrorKind;
use tenter_ghap::GhapError;

/// What went wrong. The message says what happened and, where there is one, what to type next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryError {
    /// Which kind; `kind.as_str()` is what MCP clients see.
    pub kind: ErrorKind,
    /// What happened, and what to do about it.
    pub message: String,
}

impl MemoryError {
    /// Something given cannot be taken.
    pub fn validation(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Validation, message: message.into() }
    }

    /// What is named is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, message: message.into() }
    }

    /// The store or a file cannot be used.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Internal, message: message.into() }
    }
}

impl From<GhapError> for MemoryError {
    fn from(error: GhapError) -> Self {
        Self { kind: error.kind, message: error.message }
    }
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for MemoryError {}
