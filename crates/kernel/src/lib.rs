//! Stops 2, 4 and 5 of an event's way: match, fold, fit.
//!
//! The kernel decides. It does no I/O, reads no clock and starts nothing: it is told what happened and says
//! what to do next as a [`Step`], which the runtime takes. Policy is not here: could two
//! teams want different behaviour? Then it is a hook.
//!
//! Previous stop: an adapter made the event. Next stop: the runtime routes and records the outcome.
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
