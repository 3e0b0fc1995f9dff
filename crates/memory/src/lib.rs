//! What was learned, kept, found again at the right moment, and served over MCP.

pub mod embedding;
pub mod fusion;
