//! Goal, hypothesis, action, prediction: what an agent is trying, and how it came out.
//!
//! An agent says what it expects *before* it seems; what comes out is then a confirmation or a surprise, and a
//! surprise is worth remembering. An [`Entry`] is one such attempt from its start to its resolution.
//!
//! It is part of the small program that agents call, so there is no database here: entries that are being worked
//! on are plain files ([`ActiveFolder`]), and what becomes of them afterwards is handled elsewhere.

pub mod words;
mod word_list;
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
pub use word_list::word_list;
pub use words::{Category, Domain, Status, Strategy, Tier};
