//! Memory: stores experiences, memories and a journal, searches them, and serves them over MCP.
//!
//! [`Memory`] has one method per operation; MCP tools, commands and hooks call it.

pub mod error;
pub mod project;
pub mod embedding;
pub mod embedder;
mod fusion;
pub mod words;
pub mod types;
mod store;
mod search;
mod facade;
pub mod context;
pub mod hooks;
pub mod live;
pub mod mcp;

pub use context::{
    Assembled, Cited, ContextRequest, ContextSource, Delivered, Depth, Form, Occasion, PremortemRequest,
};
pub use embedder::{
    BUILT_IN, Embedder, StaticModel, folder_model, select_model, selected_model, selected_model_folder,
};
pub use error::{ErrorKind, Hint, MemoryError, NextStep};
pub use facade::{Ending, Health, Memory, MemoryConfig, NewSession};
pub use hooks::MemoryExecutor;

pub use project::Project;
pub use store::health::Condition;
pub use types::{
    Counts, Ended, EntryFilter, Experience, ExperienceHit, ExperienceQuery, Fit, ImportAs, Imported,
    JournalEntry, JournalFilter, KnownProject, MemoryFilter, MemoryHit, MemoryItem, MemoryQuery,
    NewJournalEntry, NewMemory, Orphan, Repaired, Resolved, Scope, Stats, StoreStatus, Unresolved,
};
pub use words::{Axis, MemoryCategory, SearchMode};
