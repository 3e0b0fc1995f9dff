//! Hook files: text in, checked hooks and readable problems out.
//!
//! Three formats become one tree ([`Format`], `read`), the tree becomes hooks (`file`, `hook`), and all that
//! is wrong becomes [`Problem`]s that name file, line, key and what to write instead. The crate does no I/O:
//! the host reads the files and hands over their text.
//!
//! Two rules decide most questions here. *One bad hook disables that hook, loudly, and no other.* And
//! *nothing that a user wrote is dropped in silence*: a guard that quietly does not load is worse than one
//! that was never written, because a user relies on it.

#![deny(clippy::wildcard_enum_match_arm)]

mod source;
mod place;
mod tree;
mod read;
mod problem;
mod fields;
mod values;
mod suggest;
mod event_key;
mod file;
mod order;
mod hook;
mod context;
mod approvals;
mod limits;
mod dialects;
mod imports;
mod guard_detection;
pub mod compiled;
pub mod edit;

pub use dialects::{
    ImportError, Imported, ImportedHook, KeyRow, Note, NoteKind, State, foreign_keys, import, is_generated,
};
pub use file::{Loaded, load, load_as};
pub use guard_detection::{guarded_events, names_stoppable_event, stoppable_events};
pub use hook::{InvalidCombination, MatcherError, Suspicion, condition_keys, hook_keys};
pub use imports::ImportRequest;
pub use limits::{Limit, LimitSetting, limit_keys};
pub use place::Place;
pub use problem::{Expected, Problem, ProblemKind, Severity};
pub use source::{Format, SourceText};
pub use values::DurationError;
