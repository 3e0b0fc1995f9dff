//! Matches events with hooks, folds their replies into one outcome, and adapts it to an agent.
//!
//! The kernel does no I/O, reads no clock and starts nothing. It returns what to do next as a [`Step`], which the
//! runtime runs. It contains no policy: behaviour that two teams could want differently belongs in a hook.
//!
#![deny(clippy::wildcard_enum_match_arm)]

pub mod registry;
pub mod sections;
pub mod matching;
pub mod dispatch;
pub mod fold;
mod likeness;
pub mod safe_text;
pub mod limit;
pub mod admit;
pub mod batch;
pub mod adapt;
pub mod shared_decision;
pub mod saved_answers;

pub use adapt::{
    Adapted, ContextRoute, Received, adapt, adapt_spilled, allow_stop, context_route, is_long, is_read,
    overflow,
};
pub use admit::{AdmissionBudget, Admitted, Author, Known, admit, refusal};
pub use batch::messages;
pub use dispatch::{HostAsks, Invocation, Step, begin};
pub use fold::fold_background_run;
pub use limit::point_to_file;
pub use registry::{Handle, Registry};
pub use saved_answers::{SavedAnswer, saved_answer};
pub use sections::active_hooks;
pub use shared_decision::{apply_shared_decision, shared_decision};
