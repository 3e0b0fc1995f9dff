//! What can go wrong: the error of entries is the error of all of memory, in the four kinds that MCP clients know.

pub use tenter_ghap::{ErrorKind, GhapError as MemoryError, Hint, NextStep};
