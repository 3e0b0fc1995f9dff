//! Embedded sessions: hooks as functions, and the channels of their output.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod kit;
mod asking_hooks;
mod context;
mod budgets;
mod failures;
mod messages;
mod approvals;
mod records;
mod plugged;
mod agreement;
