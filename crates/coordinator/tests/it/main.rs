//! A session as a program that embeds it has it: hooks that are functions, and where what they say goes.

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
