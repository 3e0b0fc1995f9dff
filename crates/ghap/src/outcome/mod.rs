//! Compares test and build runs with predictions.
//!
//! ```text
//! event ─▶ tool_output: exit code, text ─┐
//! command line ─▶ recognise: runs ───────┴▶ read: a finding ─▶ compare: with the prediction ─▶ text for the agent
//! ```
//!
//! All functions are pure, except [`capture`], which reads the active entry and stores the run.

mod about;
mod capture;
mod claims;
mod compare;
mod elsewhere;
mod finding;
mod grammars;
mod named;
mod narrowed;
mod numbers;
mod prediction;
mod printed;
mod programs;
mod read;
mod recognise;
mod run;
mod text;
mod tool_output;

pub use about::about;
pub use capture::{Captured, Settings, capture, start_tracking, wants_premortem};
pub use compare::{Prompt, Suggests, actual, compare};
pub use finding::{Counts, Finding, Verdict};
pub use named::Ran;
pub use prediction::{Expects, expects};
pub use read::read;
pub use recognise::recognise;
pub use run::{Kind, Printed, Run, Runner};
pub use tool_output::{ToolOutput, tool_output};
