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
pub use context::{
    Assembled, Cited, ContextRequest, ContextSource, Depth, Form, Known, Occasion, PremortemRequest,
};
pub use embedder::{Embedder, StaticModel};
pub use error::{ErrorKind, MemoryError};
pub use facade::{Ending, Health, Means, Memory, NewSession};
pub use hooks::MemoryExecutor;
pub use project::Project;
pub use questions::{
    Counts, Ended, EntryFilter, Experience, ExperienceHit, ExperienceQuery, Fit, ImportAs, Imported,
    JournalEntry, JournalFilter, Kept, KnownProject, MemoryFilter, MemoryHit, MemoryItem, MemoryQuery,
    NewJournalEntry, NewMemory, Orphan, Repaired, Resolved, Scope, Stats, Unresolved,
};
pub use store::health::Condition;
pub use words::{Axis, MemoryCategory, SearchMode};
