//! The agent's loop, with hooks that are functions and a scripted model.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod apis;
mod journal;
mod kit;
mod loops;
mod permissions;
mod subagents;
mod failures;
