//! GHAP entries: tracked hypotheses (goal, hypothesis, action, prediction).
//!
//! An agent predicts a result before it acts. The result then confirms the prediction or is a surprise, which is worth
//! remembering. An [`Entry`] is one such attempt from its start to its resolution.
//!
//! `tenter-hook` links this crate, so it opens no database: active entries are plain files ([`ActiveFolder`]), and
//! `tenter-memory` stores them after they are resolved.

pub mod words;
pub mod moment;
pub mod limits;
pub mod id;
pub mod run;
pub mod entry;
pub mod error;
pub mod cycle;
pub mod clean;
pub mod who;
pub mod quote;
pub mod active;
pub mod outcome;

pub use active::{ActiveEntry, ActiveFolder, CheckIn, Liveness, OrphanSearch, Waiting};
pub use clean::Cleaner;
pub use cycle::{Resolution, Revision, Start};
pub use entry::{Entry, HistoryEntry, Lesson, Outcome, RootCause};
pub use error::{ErrorKind, GhapError, Hint, NextStep};
pub use quote::Quoting;
pub use run::RunSeen;
pub use who::Who;
pub use words::{Category, Domain, Status, Strategy, Tier};
