//! What was learned, kept, found again at the right moment, and served over MCP.
//!
//! [`Memory`] has one method per operation; MCP tools, commands and hooks are thin over it.

pub mod error;
pub mod project;
pub mod embedding;
pub mod embedder;
mod chosen;
mod fusion;
pub mod words;
pub mod questions;
mod store;
mod search;
mod facade;
pub mod context;
pub mod hooks;
pub mod live;
pub mod mcp;

pub use chosen::{BUILT_IN, choose_model, chosen_folder, chosen_model};
pub use context::{Assembled, Cited, ContextRequest, ContextSource, Depth, Occasion, PremortemRequest};
pub use embedder::{Embedder, StaticModel};
pub use error::{ErrorKind, MemoryError};
pub use facade::{Ending, Means, Memory, NewSession};
pub use hooks::MemoryExecutor;
pub use project::Project;
pub use questions::{
    Ended, EntryFilter, Experience, ExperienceHit, ExperienceQuery, Fit, Imported, JournalEntry,
    JournalFilter, Kept, MemoryFilter, MemoryHit, MemoryItem, MemoryQuery, NewJournalEntry, NewMemory,
    Orphan, Resolved, Scope, Stats,
};
pub use words::{Axis, MemoryCategory, SearchMode};
